package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A kind is the answer that a message expects.
type kind int

const (
	request    kind = iota // has a valid id: one answer with that id
	oddRequest             // has an invalid id: refused, or answered with that id
	unreadable             // not a valid message: refused
	quiet                  // a notification or a response: not answered
)

// A message is a text to send, with the answers that are allowed.
type message struct {
	data      []byte // JSON, or a text in place of JSON
	about     string // the oddity, for evidence
	kind      kind
	ids       []string // allowed ids of an answer, as JSON
	mayRefuse bool     // may be refused: by an error without an id, or over HTTP by a status of 4xx
	whole     bool     // a batch: one refusal counts as all answers
	least     int      // answers to wait for
	most      int      // answers that are allowed
	opens     bool     // may open a stream (subscriptions/listen)

	// The rest is for HTTP.
	header   http.Header         // replaces default fields; a nil value removes one
	chunked  bool                // sent without a length
	mayBreak bool                // the connection may end without an answer
	verb     string              // empty is POST
	status   func(code int) bool // allowed statuses; nil follows the protocol
}

// newRequest returns a request whose id is a string or an integer.
func newRequest(id, data, about string) *message {
	return &message{data: []byte(data), about: about, ids: []string{id}, least: 1, most: 1}
}

// newBroken returns an unreadable message that may have one of these ids.
func newBroken(data, about string, ids ...string) *message {
	return &message{data: []byte(data), about: about, kind: unreadable, ids: ids, mayRefuse: true, least: 1, most: 1}
}

// newQuiet returns a message that expects no answer.
func newQuiet(data, about string) *message {
	return &message{data: []byte(data), about: about, kind: quiet}
}

// doubtful allows the message to be refused: servers may read it or not.
func (m *message) doubtful() *message {
	m.mayRefuse = true
	m.most = max(m.most, 1)
	return m
}

// Limits that every server must support.
const (
	readableBytes = 2 << 20
	readableID    = 4096
)

// weigh marks the message as doubtful if it has invalid Unicode, repeated members, too deep nesting or too many
// bytes.
func (m *message) weigh() *message {
	if len(m.data) > readableBytes || strictjson.Check(m.data) != nil {
		m.doubtful()
	}
	return m
}

// setID gives the message an id, which may be any JSON.
func (m *message) setID(id string) {
	m.ids = []string{id}
	if !goodID(id) {
		m.kind = oddRequest
		m.mayRefuse = true
	}
}

// goodID reports whether an id is valid: a string, or an integer that JavaScript represents exactly.
func goodID(id string) bool {
	if id[0] == '"' {
		return len(id) <= readableID && strictjson.Check([]byte(id)) == nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	const most = 1<<53 - 1
	return err == nil && n >= -most && n <= most && strconv.FormatInt(n, 10) == id
}

// sameID reports whether an answer has the id that was sent. The spelling of a number with a fraction or an
// exponent may differ.
func sameID(sent, got string) bool {
	if sent == got {
		return true
	}
	// A character takes six times its bytes as an escape, and three times those of one that is no UTF-8.
	text := strings.HasPrefix(sent, `"`)
	if text != strings.HasPrefix(got, `"`) || text && max(len(sent), len(got)) > 18*min(len(sent), len(got)) {
		return false
	}
	var a, b string
	if json.Unmarshal([]byte(sent), &a) == nil && json.Unmarshal([]byte(got), &b) == nil {
		return sent[0] == '"' && got[0] == '"' && a == b
	}
	var c, d bytes.Buffer
	if json.Compact(&c, []byte(sent)) == nil && json.Compact(&d, []byte(got)) == nil && bytes.Equal(c.Bytes(), d.Bytes()) {
		return true
	}
	return strings.ContainsAny(sent, ".eE-") && sameNumber(sent, got)
}

func sameNumber(a, b string) bool {
	const longest = 1000
	if len(a) > longest || len(b) > longest || exponent(a) > longest || exponent(b) > longest {
		return false
	}
	x, ok := new(big.Rat).SetString(a)
	y, okToo := new(big.Rat).SetString(b)
	return ok && okToo && x.Cmp(y) == 0
}

func exponent(number string) int {
	_, e, _ := strings.Cut(strings.ToLower(number), "e")
	if e == "" {
		return 0
	}
	n, err := strconv.Atoi(e)
	if err != nil {
		return 1 << 30
	}
	return max(n, -n)
}

// mayHave reports whether an answer may have the id.
func (m *message) mayHave(id string) bool {
	for _, own := range m.ids {
		if sameID(own, id) {
			return true
		}
	}
	return false
}

// routed returns the parts of a message that HTTP repeats in its header since 2026-07-28. They are empty if
// unreadable.
func (m *message) routed() (method, name string) {
	if strictjson.Valid(m.data) {
		method = strictjson.Text(lastMember(m.data, "method"))
	}
	if named := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}[method]; named != "" {
		name = strictjson.Text(lastMember(lastMember(m.data, "params"), named))
	}
	return method, name
}

// lastMember returns a member as encoding/json reads it: of several that differ in case at most, the last.
func lastMember(data []byte, name string) (value []byte) {
	for key, v := range strictjson.RawMembers(data) {
		if strings.EqualFold(string(strictjson.Unquote(key)), name) {
			value = v
		}
	}
	return value
}

// cancellation returns the message that cancels the stream that m has opened.
func (m *message) cancellation() *message {
	const text = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`
	return &message{data: fmt.Appendf(nil, text, m.ids[0]), ids: m.ids, mayRefuse: m.mayRefuse, most: 1}
}

// topic returns the method of the message, for grouping.
func (m *message) topic() string {
	topic, _, _ := strings.Cut(m.about, " ")
	return topic
}

// String describes the sent message, for evidence.
func (m *message) String() string { return fmt.Sprintf("%s: sent %s", m.about, excerpt(m.data)) }
