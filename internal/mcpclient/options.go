package mcpclient

import (
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits bound what a server sends.
type Limits struct {
	// Message is the most bytes of one message: a line, a JSON body, the data of
	// an event. Zero or less is 16 MiB.
	Message int
	// Unanswered is the most messages of its own, notifications and requests, that
	// a server sends while a request waits for its answer: on a connection of its
	// own in a row, over HTTP before one answer. Zero or less is a million.
	Unanswered int
}

const (
	maxDepth     = 800      // nesting of a message
	maxBatch     = 1000     // messages in one array
	maxNoise     = 16 << 20 // bytes between two messages that are none
	maxQuestions = 64       // requests of the server without an answer
	maxRefusal   = 64 << 10 // bytes of the body that comes with an HTTP error
	maxField     = 1 << 10  // bytes of an event's fields other than its data, of a session id
)

// Options are the rest of what a transport needs to know. The zero value is
// ready to use.
type Options struct {
	Limits
	// Logger gets what is dropped: the first, second, fourth, eighth ... time.
	// Nil discards.
	Logger *slog.Logger
	// Stderr gets the lines that a command writes to its standard error, cleaned
	// and cut to 1,000 characters, one at a time. When it is slow lines are lost;
	// the command never waits. Nil discards.
	Stderr func(line string)
	// Notified gets each notification of the server, in their order, before a
	// later message is handed on, and reports whether it has taken it: what it
	// has not goes to the SDK, which keeps notifications in a queue without a
	// bound and may hand them on after the answer that they preceded. It must be
	// quick, and is called for one connection at a time but for streams of HTTP,
	// which are several. Nil takes nothing.
	Notified func(method string, params json.RawMessage) bool
	// Reopened says that the stream of the server's own messages is there again
	// after it was lost, or could not be had at first: what was said meanwhile has
	// not been heard, and the server may have been started anew. It must be quick.
	// Nil tells nobody.
	Reopened func()
	// After is the clock for the time that a command is given to end, and before
	// a stream is opened again. Nil is [time.After].
	After func(time.Duration) <-chan time.Time
}

func (o Options) filled() Options {
	if o.Message <= 0 {
		o.Message = mcp.DefaultMaxLineLength
	}
	if o.Unanswered <= 0 {
		o.Unanswered = 1_000_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Reopened == nil {
		o.Reopened = func() {}
	}
	if o.Notified == nil {
		o.Notified = func(string, json.RawMessage) bool { return false }
	}
	if o.After == nil {
		o.After = time.After
	}
	return o
}

// takes reports whether a message is a notification that has been taken.
func (o Options) takes(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	return ok && !r.IsCall() && o.Notified(r.Method, r.Params)
}

// drops reports what is dropped without being a flood itself.
type drops struct {
	logger *slog.Logger
	count  atomic.Int64
}

func (d *drops) report(why string) {
	if n := d.count.Add(1); n&(n-1) == 0 {
		d.logger.Warn("message dropped", "reason", why, "count", n)
	}
}
