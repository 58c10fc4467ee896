package mcpclient

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// An Exchange records what happens on the wire to a request made with its context. If the SDK makes several
// requests, Result and Err are those of the last one. Notifications are not recorded. It is safe for concurrent
// use.
type Exchange struct {
	mu      sync.Mutex
	sent    bool
	result  json.RawMessage
	err     *Error
	refusal error
	heard   *atomic.Int64 // counts the server's own messages; nil before the request
	before  int64         // the count at the beginning
}

type exchangeKey struct{}

// WithExchange returns a context for a session's requests, such as CallTool and ListTools, and the Exchange that
// records them.
func WithExchange(ctx context.Context) (context.Context, *Exchange) {
	x := new(Exchange)
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// ExchangeOf returns the exchange of ctx, or an unused one.
func ExchangeOf(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return new(Exchange)
}

// Sent reports whether a part of the request may have reached the server, so that it may have run. A later request
// does not reset it.
func (x *Exchange) Sent() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sent
}

// Result returns the member "result" as it was on the wire; nil if there was none. It must not be changed.
func (x *Exchange) Result() json.RawMessage {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.result
}

// Err returns the *[Error] if the request failed without an answer; nil if it was answered, is still running, or
// was given up.
func (x *Exchange) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		return nil
	}
	return x.err
}

// Refusal returns the server's JSON-RPC error; nil if there is none. The SDK replaces some of these by its own
// errors.
func (x *Exchange) Refusal() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.refusal
}

// Messages returns how many messages of its own, notifications and requests, the server has sent since the request,
// on the same connection or stream. Requests that share a connection count the same messages.
func (x *Exchange) Messages() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.heard == nil {
		return 0
	}
	return int(x.heard.Load() - x.before)
}

// begin starts to record a request. heard counts the server's own messages on its connection or stream.
func (x *Exchange) begin(heard *atomic.Int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.result, x.err, x.refusal = nil, nil, nil
	x.heard, x.before = heard, heard.Load()
}

func (x *Exchange) markSent() { x.setSent(true) }

func (x *Exchange) setSent(sent bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sent = sent
}

// settle records the answer.
func (x *Exchange) settle(r *jsonrpc.Response) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch e := unusableError(r); {
	case e != nil:
		x.err = e
	case r.Error != nil:
		x.refusal = r.Error
	default:
		x.result = r.Result
	}
}

// fail records a failure. The first failure counts.
func (x *Exchange) fail(e *Error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		x.err = e
	}
}
