package mcpclient

import (
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits bound the data from a server.
type Limits struct {
	// Message bounds one message in bytes: a line, a JSON body, the data of an event. Zero or less is 16 MiB.
	Message int
	// Unanswered bounds the server's own messages, notifications and requests, while a request waits for its
	// answer: in a row on a connection, before one answer over HTTP. Zero or less is a million.
	Unanswered int
}

const (
	maxDepth     = 800      // nesting of a message
	maxBatch     = 1000     // messages in one array
	maxNoise     = 16 << 20 // bytes of invalid data between two messages
	maxQuestions = 64       // unanswered requests of the server
	maxRefusal   = 64 << 10 // body bytes of an HTTP error
	maxField     = 1 << 10  // bytes of an event's other fields, and of a session id
)

// Options configure a transport. The zero value is ready to use.
type Options struct {
	Limits
	// Logger gets notes about dropped data: the first, second, fourth, eighth ... time. Nil discards.
	Logger *slog.Logger
	// Stderr gets each line of a command's standard error, cleaned and cut to 1,000 characters. The command never
	// waits for it: lines are dropped if it is slow. Nil discards.
	Stderr func(line string)
	// Notified gets each notification of the server, in order and before later messages, and reports whether it
	// handled it. The SDK gets the others; it queues them without a bound, possibly behind a later answer. Notified
	// must be quick. It is called sequentially for a connection, but concurrently for the streams of an HTTP
	// session. Nil handles none.
	Notified func(method string, params json.RawMessage) bool
	// Reopened is called when the stream of the server's own messages is back after a loss, or opened late.
	// Messages in between were lost, and the server may have restarted. It must be quick. Nil is not called.
	Reopened func()
	// After is the clock for the end of a command and for reopening streams. Nil is [time.After].
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

// takes reports whether a message is a notification that Notified has handled.
func (o Options) takes(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	return ok && !r.IsCall() && o.Notified(r.Method, r.Params)
}

// drops logs dropped data at a decreasing rate.
type drops struct {
	logger *slog.Logger
	count  atomic.Int64
}

func (d *drops) report(why string) {
	if n := d.count.Add(1); n&(n-1) == 0 {
		d.logger.Warn("message dropped", "reason", why, "count", n)
	}
}
