package check

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// A wire carries messages to a server: a pipe or a web. It has one connection at a time.
type wire interface {
	// open makes a new connection. The wire must be closed.
	open(ctx context.Context) error
	// exchange sends a message and, unless it is nil, a ping. It returns when both are answered, or at a timeout:
	// wait after the ping's answer, and the whole timeout before it.
	exchange(ctx context.Context, m, ping *message, wait time.Duration) *outcome
	// close closes the connection.
	close()
	// pid returns the server's process; 0 if unknown.
	pid() int
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

// An outcome is what a server sent after a message.
type outcome struct {
	answers []*answer // answers to the message, with any id
	strays  []*answer // answers to older messages
	others  []*answer // requests and notifications of the server, and invalid messages
	opened  bool      // a stream was opened
	status  int       // HTTP status, or 0
	refusal []byte    // body of an HTTP error that is no message
	session string    // HTTP session
	pinged  *answer   // answer to the ping
	noPing  string    // why there is no answer to the ping
	broken  string    // how the connection ended
	lost    string    // how the session ended
	late    bool      // timed out before all answers
}

// enough reports whether no further answer is expected.
func (o *outcome) enough(m *message) bool {
	return len(o.answers) >= m.least || o.opened || m.whole && o.refused()
}

// refused reports whether a message was answered without its id.
func (o *outcome) refused() bool {
	if is4xx(o.status) && len(o.refusal) > 0 {
		return true
	}
	for _, a := range o.answers {
		if a.id == "" && a.failure != nil {
			return true
		}
	}
	return false
}

// setAside records a message that is no answer, and reports whether it was one.
func (o *outcome) setAside(a *answer, m *message) bool {
	switch {
	case a.method == acknowledged && m.opens:
		o.opened = true
	case a.method != "", a.bad != "" && a.id == "":
		o.others = append(o.others, a)
	default:
		return false
	}
	return true
}

// acknowledged is the first notification of a stream.
const acknowledged = "notifications/subscriptions/acknowledged"

// received returns the messages in the server's data: one, or those of an array.
func received(raw []byte) []*answer {
	raw = bytes.TrimSpace(raw)
	var elements []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &elements) != nil {
		return []*answer{parseAnswer(raw)}
	}
	list := make([]*answer, len(elements))
	for i, e := range elements {
		list[i] = parseAnswer(e)
	}
	return list
}
