package check

import (
	"fmt"
	"net/http"
	"slices"
)

// This is the judge of Hostile, the check that sends thousands of odd messages (hostile.go, which makes the judge). It
// decides whether the server has answered one rightly. link.go and special.go send a message, wait, and call look with
// the message and its outcome. look compares the two with the statements below, and counts each comparison in a row of
// the report (report.go).
//
// A message (message.go) says what is allowed:
//
//	kind       request: one answer; oddRequest: an answer or a refusal; unreadable: a refusal; quiet: no answer
//	ids        the ids that an answer may have; a batch has one for each of its requests
//	least      the answers to wait for
//	most       the answers that are allowed
//	mayRefuse  an error without an id, or over HTTP a status of 4xx, is allowed
//	whole      a batch: answered for each element, or refused as a whole
//	mayBreak   the server may close the HTTP connection without an answer, as for a very large message
//	status     a function that tells the allowed HTTP statuses; nil unless the message has odd headers or an odd verb
//	data       its text; about: what is odd in it; topic(): the same with the method, by which failures are counted
//
// An outcome (wire.go) says what came:
//
//	answers    answers to the message, with any id
//	strays     answers to older messages
//	others     requests and notifications of the server, and texts that are not valid messages
//	status     the HTTP status; 0 over a pipe, or without a response
//	refusal    the body of an HTTP response, if it is not JSON
//	refused()  the message was refused: an error without an id came, or a status of 4xx with a text
//	opened     the answer is a stream that stays open (subscriptions/listen)
//	late       the time was up before all answers came
//	broken     how the connection ended; empty if it did not
//	lost       how the HTTP session ended; empty if it did not
//	pinged     the answer to the ping that follows each message
//	noPing     why that ping has no answer
//
// An answer (answer.go) is one message of the server: raw is its text, id and failure are its members id and error, and
// bad says why it is no valid message.

// A statement is a rule for all messages, or for many. Its name is the last part of its row's name.
type statement struct{ name, title string }

// The statements, in the order of their rows.
var (
	statementAnswered   = statement{"answered", "a request is answered"}
	statementOnce       = statement{"once", "nothing is answered twice"}
	statementSilent     = statement{"silent", "notifications and responses are not answered"}
	statementID         = statement{"id", "an answer has the id that was sent"}
	statementOddID      = statement{"odd-id", "an invalid id is refused or repeated, never changed"}
	statementUnreadable = statement{"unreadable", "what is no message is refused"}
	statementForm       = statement{"form", "what comes is JSON-RPC in strict JSON"}
	statementErrorText  = statement{"error", "an error has a code and a short text without controls"}
	statementInside     = statement{"inside", "no error tells how the server is made"}
	statementAlive      = statement{"alive", "a ping after each message is answered"}
	statementUp         = statement{"up", "the server goes on: neither process nor connection ends"}
	statementSession    = statement{"session", "the session stays the same"}
	statementMemory     = statement{"memory", "memory stays flat"} // checked in memory.go, which measures it
)

var statements = []statement{
	statementAnswered, statementOnce, statementSilent, statementID, statementOddID, statementUnreadable,
	statementForm, statementErrorText, statementInside, statementAlive, statementUp, statementSession, statementMemory,
}

// A judge compares outcomes with the statements and records the results in rows.
type judge struct {
	ledger *ledger // has the rows
	// setRow is the row for a set of odd messages, such as "batch" (special.go), while they are sent. It counts the
	// results of all statements. Nil at other times: then each statement has its own row.
	setRow *Row
	failed bool // whether the present message has failed
}

// newJudge returns a judge whose ledger has a row for each statement, checked or not.
func newJudge(ledger *ledger) *judge {
	for _, s := range statements {
		ledger.row(s)
	}
	return &judge{ledger: ledger}
}

// check records whether a statement holds for a message. came is the evidence: what came.
func (j *judge) check(s statement, ok bool, m *message, came string) {
	row := j.setRow // Row.hold counts a success; Row.fail takes the kind of a failure, by which it is counted, and evidence
	if row == nil {
		row = j.ledger.row(s)
	}
	switch {
	case ok && j.setRow == nil:
		row.hold()
	case ok: // look counts a message of a set once, after all statements
	case j.setRow == nil:
		j.failed = true
		row.fail(m.topic()+" "+came[:min(len(came), kindPrefix)], m.String()+"; "+came)
	default:
		j.failed = true
		row.fail(s.name+" "+m.about, "not so: "+s.title+"; "+m.String()+"; "+came)
	}
}

// kindPrefix is the length of the prefix of came, in bytes, by which failures are of the same kind.
const kindPrefix = 24

// look judges the outcome of a message.
func (j *judge) look(m *message, o *outcome) {
	j.failed = false
	if m.mayBreak && o.pinged != nil { // the connection broke as allowed, and the server still answers
		o.broken = ""
	}
	j.check(statementUp, o.broken == "", m, "broken off: "+o.broken)
	if o.broken == "" {
		j.check(statementSession, o.lost == "", m, o.lost)
		j.count(m, o)
		j.ping(m, o)
	}
	for _, a := range o.answers {
		j.answer(m, a)
	}
	for _, a := range o.strays {
		j.check(statementOnce, false, m, "an older message is answered again: "+excerpt(a.raw))
		j.form(m, a)
	}
	for _, a := range o.others {
		j.form(m, a)
	}
	if len(o.refusal) > 0 {
		j.text(m, string(o.refusal))
	}
	if !j.failed && j.setRow != nil {
		j.setRow.hold()
	}
}

// count checks the number of answers.
func (j *judge) count(m *message, o *outcome) {
	n := len(o.answers)
	switch {
	case m.status != nil: // odd verbs and headers: the status says whether they were refused
		j.check(statementUnreadable, m.status(o.status), m, describe(o))
	case m.mayBreak && o.status == 0 && n == 0 && !o.late: // closed without an answer is allowed, so nothing is checked
	case m.whole && n <= 1 && o.refused(): // a refused batch counts as all answers
		j.compare(m, o, m.least)
	case m.mayRefuse && n == 0 && o.refused(): // a status of 4xx with a text counts as one answer
		j.compare(m, o, 1)
	case m.whole && n == m.least: // an answered batch: the number is right; check the ids too
		j.check(statementID, eachOnce(m, o), m, describe(o))
		fallthrough
	default:
		j.compare(m, o, n)
	}
}

// compare compares n, the number of answers or of what counts as such, with what the message allows.
func (j *judge) compare(m *message, o *outcome, n int) {
	switch {
	case m.kind == quiet:
		if is4xx(o.status) && o.refused() { // over HTTP an error with 4xx rejects the post; it is not an answer
			n = 0
		}
		j.check(statementSilent, n <= m.most && (quietStatus(o.status) || m.mayRefuse && o.refused()), m, describe(o))
	case n < m.least && !o.opened: // too few, and no stream in place of an answer
		// By the kind of the message; quiet ones are above.
		missing := []statement{request: statementAnswered, oddRequest: statementOddID, unreadable: statementUnreadable}[m.kind]
		// Over a pipe, a server that does not answer the ping either has failed once, not twice: see ping. Over HTTP
		// a status shows that the server was there.
		if o.noPing == "" || o.status != 0 {
			j.check(missing, false, m, describe(o))
		}
	default: // enough; answer records that a refusal or an odd id is right
		j.check(statementOnce, n <= m.most, m, describe(o))
		if m.kind == request {
			j.check(statementAnswered, true, m, "")
		}
	}
}

// eachOnce reports whether each id of a batch is answered exactly once.
func eachOnce(m *message, o *outcome) bool {
	answers := slices.Clone(o.answers)
	for _, id := range m.ids {
		i := slices.IndexFunc(answers, func(a *answer) bool { return sameID(id, a.id) })
		if i < 0 {
			return false
		}
		answers = slices.Delete(answers, i, i+1)
	}
	return true
}

// quietStatus reports whether a status is right for a message that is not answered. 0 is that of a pipe.
func quietStatus(status int) bool {
	return status == 0 || status == http.StatusAccepted || is4xx(status)
}

// describe returns the outcome of a message as evidence, such as "status 200, 1 answers, {...}".
func describe(o *outcome) string {
	text := fmt.Sprintf("%d answers", len(o.answers))
	if o.status != 0 {
		text = fmt.Sprintf("status %d, %s", o.status, text)
	}
	if len(o.refusal) > 0 {
		text += ", body " + excerpt(o.refusal)
	}
	for _, a := range o.answers[:min(2, len(o.answers))] {
		text += ", " + excerpt(a.raw)
	}
	return text
}

// ping checks the answer to the ping after the message.
func (j *judge) ping(m *message, o *outcome) {
	switch {
	case o.lost != "": // counts for the session alone
	case o.pinged != nil:
		ok := o.pinged.bad == "" && o.pinged.failure == nil
		j.check(statementAlive, ok, m, "the ping after it is answered "+excerpt(o.pinged.raw))
	case o.noPing != "":
		j.check(statementAlive, false, m, "the ping after it is answered by "+o.noPing+"; to the message came "+describe(o))
	}
}

// answer checks the form, the id and the error of one answer to a message.
func (j *judge) answer(m *message, a *answer) {
	j.form(m, a)
	came := "came " + excerpt(a.raw)
	if m.kind != quiet {
		rule := statementID
		if m.kind == oddRequest {
			rule = statementOddID
		}
		// An answer has an id of the message; a refusal may have none.
		ok := a.id != "" && m.mayHave(a.id) || a.id == "" && m.mayRefuse && a.failure != nil
		j.check(rule, ok, m, came)
		if ok && m.kind == unreadable {
			j.check(statementUnreadable, true, m, "")
		}
	}
	if a.failure == nil || a.bad != "" { // a result, or already recorded by form
		return
	}
	wrong := a.failure.wrong()
	j.check(statementErrorText, wrong == "", m, wrong+"; "+came)
	if text, ok := a.failure.message.(string); ok {
		j.inside(m, text, came)
	}
}

// text checks an HTTP body that is not JSON like the text of an error.
func (j *judge) text(m *message, text string) {
	wrong, came := wrongText(text), "came "+excerpt([]byte(text))
	j.check(statementErrorText, wrong == "", m, wrong+"; "+came)
	j.inside(m, text, came)
}

// inside checks that a text does not mention types, source files or stacks of the server.
func (j *judge) inside(m *message, text, came string) {
	word := leaks(text, m.data)
	j.check(statementInside, word == "", m, "says "+word+"; "+came)
}

// form checks that what came is a valid message.
func (j *judge) form(m *message, a *answer) {
	j.check(statementForm, a.bad == "", m, "what came "+a.bad+": "+excerpt(a.raw))
}
