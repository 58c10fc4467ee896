package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A kind is what a message asks for.
type kind int

const (
	request    kind = iota // with an id that is one: one answer, which has it
	oddRequest             // with an id that is none: refused, or the id is repeated
	unreadable             // no message at all: refused
	quiet                  // a notification or a response: no answer
)

// A message is what is sent, and what may be answered.
type message struct {
	data  []byte // a JSON text, or what shall be taken for one
	about string // what is odd about it, for evidence
	kind  kind
	ids   []string // what the id of an answer may be, as JSON
	null  bool     // may be refused: by an error without an id, over HTTP by a status of 4xx
	whole bool     // one such refusal stands for all answers
	least int      // answers that are awaited
	most  int      // answers that may come
	opens bool     // may open a stream (subscriptions/listen)

	// For HTTP.
	header   http.Header         // in place of what there would be; a nil value is none
	chunked  bool                // the length is not told ahead
	mayBreak bool                // the connection may be ended without an answer
	verb     string              // empty is POST
	status   func(code int) bool // which are fine; nil is as the protocol has it
}

// newRequest returns a request with an id that is a text or an integer.
func newRequest(id, data, about string) *message {
	return &message{data: []byte(data), about: about, ids: []string{id}, least: 1, most: 1}
}

// newBroken returns what cannot be read, but may have one of these ids.
func newBroken(data, about string, ids ...string) *message {
	return &message{data: []byte(data), about: about, kind: unreadable, ids: ids, null: true, least: 1, most: 1}
}

// newQuiet returns what asks for no answer.
func newQuiet(data, about string) *message {
	return &message{data: []byte(data), about: about, kind: quiet}
}

// doubtful lets the message be refused, too: there are servers that read it and
// servers that do not, and both are right.
func (m *message) doubtful() *message {
	m.null = true
	m.most = max(m.most, 1)
	return m
}

// What every server must be able to read.
const (
	readableBytes = 2 << 20
	readableID    = 4096
)

// weigh looks at the message as a whole: Unicode that is none, members that come
// twice, too deep and too large are all reasons to refuse.
func (m *message) weigh() *message {
	if len(m.data) > readableBytes || strictjson.Check(m.data) != nil {
		m.doubtful()
	}
	return m
}

// setID makes the message one with this id, which is any JSON.
func (m *message) setID(id string) {
	m.ids = []string{id}
	if !goodID(id) {
		m.kind = oddRequest
		m.null = true
	}
}

// goodID reports whether an id is one by the protocol: a text, or an integer
// that JavaScript keeps.
func goodID(id string) bool {
	if id[0] == '"' {
		return len(id) <= readableID && strictjson.Check([]byte(id)) == nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	const most = 1<<53 - 1
	return err == nil && n >= -most && n <= most && strconv.FormatInt(n, 10) == id
}

// sameID reports whether an answer's id is the one that was sent. A number that
// was spelled with a fraction or an exponent may be spelled otherwise.
func sameID(sent, got string) bool {
	if sent == got {
		return true
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

// mayHave reports whether the id of an answer is one of those it may have.
func (m *message) mayHave(id string) bool {
	for _, own := range m.ids {
		if sameID(own, id) {
			return true
		}
	}
	return false
}

// routed are the parts of a message that HTTP repeats in its header from
// 2026-07-28 on. What cannot be read has none.
func (m *message) routed() (method, name string) {
	var msg struct {
		Method any
		Params struct{ Name, URI any }
	}
	// Params of another type leave the rest as it is.
	if err := json.Unmarshal(m.data, &msg); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return "", ""
	}
	method, _ = msg.Method.(string)
	switch method {
	case "tools/call", "prompts/get":
		name, _ = msg.Params.Name.(string)
	case "resources/read":
		name, _ = msg.Params.URI.(string)
	}
	return method, name
}

// cancellation returns the message that ends the stream which m has opened.
func (m *message) cancellation() *message {
	const text = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`
	return &message{data: fmt.Appendf(nil, text, m.ids[0]), ids: m.ids, null: m.null, most: 1}
}

// topic returns what the message is about without what is odd: its method.
func (m *message) topic() string {
	topic, _, _ := strings.Cut(m.about, " ")
	return topic
}

// String returns what was sent, for evidence.
func (m *message) String() string { return fmt.Sprintf("%s: sent %s", m.about, excerpt(m.data)) }
