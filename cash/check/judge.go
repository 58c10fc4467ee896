package check

import (
	"fmt"
	"net/http"
	"slices"
)

// A judge compares outcomes with the statements and records the result in rows.
type judge struct {
	ledger *ledger
	// special is the row for everything while a special is sent. Nil gives each statement its own row.
	special *Row
	failed  bool // whether the present message has failed
}

func newJudge(ledger *ledger) *judge {
	for _, s := range statements {
		ledger.row(s)
	}
	return &judge{ledger: ledger}
}

// check records whether a statement holds for a message. came describes the outcome.
func (j *judge) check(s statement, ok bool, m *message, came string) {
	row := j.special
	if row == nil {
		row = j.ledger.row(s)
	}
	switch {
	case ok && j.special == nil:
		row.hold()
	case ok:
	case j.special == nil:
		j.failed = true
		row.fail(m.topic()+" "+came[:min(len(came), sameSort)], m.String()+"; "+came)
	default:
		j.failed = true
		row.fail(s.name+" "+m.about, "not so: "+s.title+"; "+m.String()+"; "+came)
	}
}

// sameSort is the length of the prefix of came, in bytes, by which failures count as the same sort.
const sameSort = 24

// look judges the outcome of a message.
func (j *judge) look(m *message, o *outcome) {
	j.failed = false
	if m.mayBreak && o.pinged != nil {
		o.broken = ""
	}
	j.check(up, o.broken == "", m, "broken off: "+o.broken)
	if o.broken == "" {
		j.check(session, o.lost == "", m, o.lost)
		j.count(m, o)
		j.ping(m, o)
	}
	for _, a := range o.answers {
		j.answer(m, a)
	}
	for _, a := range o.strays {
		j.check(once, false, m, "an older message is answered again: "+excerpt(a.raw))
		j.form(m, a)
	}
	for _, a := range o.others {
		j.form(m, a)
	}
	if len(o.refusal) > 0 {
		j.text(m, string(o.refusal))
	}
	if !j.failed && j.special != nil {
		j.special.hold()
	}
}

// count checks the number of answers.
func (j *judge) count(m *message, o *outcome) {
	n := len(o.answers)
	switch {
	case m.status != nil:
		j.check(refused, m.status(o.status), m, came(o))
		return
	case m.mayBreak && o.status == 0 && n == 0 && !o.late:
		return
	case m.whole && n <= 1 && o.refused():
		n = m.least
	case m.null && n == 0 && o.refused():
		n = 1 // the HTTP status counts as an answer
	case m.whole && n == m.least:
		j.check(repeated, eachOnce(m, o), m, came(o))
	}
	switch {
	case m.kind == quiet:
		if isRefused(o.status) && o.refused() {
			n = 0
		}
		j.check(silent, n <= m.most && (quietStatus(o.status) || m.null && o.refused()), m, came(o))
	case n < m.least && !o.opened:
		missing := []statement{request: answered, oddRequest: oddID, unreadable: refused}[m.kind]
		if o.noPing == "" || o.status != 0 {
			j.check(missing, false, m, came(o))
		}
	default:
		j.check(once, n <= m.most, m, came(o))
		if m.kind == request {
			j.check(answered, true, m, "")
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

// quietStatus reports whether an HTTP status is right for a message without an answer.
func quietStatus(status int) bool {
	return status == 0 || status == http.StatusAccepted || isRefused(status)
}

// came describes the outcome of a message.
func came(o *outcome) string {
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

func (j *judge) ping(m *message, o *outcome) {
	switch {
	case o.lost != "":
	case o.pinged != nil:
		ok := o.pinged.bad == "" && o.pinged.failure == nil
		j.check(alive, ok, m, "the ping after it is answered "+excerpt(o.pinged.raw))
	case o.noPing != "":
		j.check(alive, false, m, "the ping after it is answered by "+o.noPing+"; to the message came "+came(o))
	}
}

// answer checks one answer to a message.
func (j *judge) answer(m *message, a *answer) {
	j.form(m, a)
	came := "came " + excerpt(a.raw)
	if m.kind != quiet {
		row := repeated
		if m.kind == oddRequest {
			row = oddID
		}
		ok := a.id != "" && m.mayHave(a.id) || a.id == "" && m.null && a.failure != nil
		j.check(row, ok, m, came)
		if ok && m.kind == unreadable {
			j.check(refused, true, m, "")
		}
	}
	if a.failure == nil || a.bad != "" {
		return
	}
	wrong := a.failure.wrong()
	j.check(errorText, wrong == "", m, wrong+"; "+came)
	if text, ok := a.failure.message.(string); ok {
		j.inside(m, text, came)
	}
}

// text checks an HTTP body that is no message.
func (j *judge) text(m *message, text string) {
	wrong, came := wrongText(text), "came "+excerpt([]byte(text))
	j.check(errorText, wrong == "", m, wrong+"; "+came)
	j.inside(m, text, came)
}

func (j *judge) inside(m *message, text, came string) {
	word := leaks(text, m.data)
	j.check(inside, word == "", m, "says "+word+"; "+came)
}

func (j *judge) form(m *message, a *answer) {
	j.check(shaped, a.bad == "", m, "what came "+a.bad+": "+excerpt(a.raw))
}

// A statement is a rule for all messages, or for many.
type statement struct{ name, title string }

// The statements, in the order of their rows.
var (
	answered  = statement{"answered", "a request is answered"}
	once      = statement{"once", "nothing is answered twice"}
	silent    = statement{"silent", "notifications and responses are not answered"}
	repeated  = statement{"id", "an answer has the id that was sent"}
	oddID     = statement{"odd-id", "an id that is none is refused or repeated, never changed"}
	refused   = statement{"unreadable", "what is no message is refused"}
	shaped    = statement{"form", "what comes is JSON-RPC in strict JSON"}
	errorText = statement{"error", "an error has a code and a short text without controls"}
	inside    = statement{"inside", "no error tells how the server is made"}
	alive     = statement{"alive", "a ping after each message is answered"}
	up        = statement{"up", "the server goes on: neither process nor connection ends"}
	session   = statement{"session", "the session stays the same"}
	memory    = statement{"memory", "memory stays flat"}
)

var statements = []statement{
	answered, once, silent, repeated, oddID, refused, shaped, errorText, inside, alive, up, session, memory,
}
