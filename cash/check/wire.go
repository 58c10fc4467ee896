package check

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// A wire is a way to a server, for one client after another.
type wire interface {
	// open connects anew. The wire is closed.
	open(ctx context.Context) error
	// exchange sends a message and, unless it is nil, a ping after it. It returns
	// when both are answered, or when the time is over: wait after the ping has
	// been answered, and all of the timeout before.
	exchange(ctx context.Context, m, ping *message, wait time.Duration) *outcome
	// close ends the connection and what belongs to it.
	close()
	// pid is the process of the server, or 0.
	pid() int
}

// maxAnswer is the most bytes of an answer.
const maxAnswer = 64 << 20

// An outcome is what came of a message.
type outcome struct {
	answers []*answer // to the message, whatever their ids
	strays  []*answer // to older messages
	others  []*answer // requests and notifications of the server, and what is no message
	opened  bool      // a stream was opened
	status  int       // of HTTP, or 0
	refusal []byte    // the body of a status that is no success, if it is no message
	session string    // that HTTP gave
	pinged  *answer   // the answer to the ping
	unheard string    // why there is none
	broken  string    // how the connection has ended
	lost    string    // how the session has
	late    bool      // the time was over before all was answered
}

// enough reports whether nothing more is awaited.
func (o *outcome) enough(m *message) bool {
	return len(o.answers) >= m.least || o.opened || m.whole && o.refused()
}

// refused reports whether a message was answered without its id.
func (o *outcome) refused() bool {
	if isRefused(o.status) && len(o.refusal) > 0 {
		return true
	}
	for _, a := range o.answers {
		if a.id == "" && a.failure != nil {
			return true
		}
	}
	return false
}

// aside reports whether what came is no answer at all, and notes it.
func (o *outcome) aside(a *answer, m *message) bool {
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

// acknowledged is the notification that a stream begins with.
const acknowledged = "notifications/subscriptions/acknowledged"

// received returns the messages in what the server has sent: one, or those of
// an array.
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
