package mcpclient

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// An Exchange follows the request that is made with its context over the wire.
// If the SDK makes several, Result and Err are those of the last one. Messages
// without an answer (notifications) leave no trace. It is safe for concurrent use.
type Exchange struct {
	mu      sync.Mutex
	sent    bool
	result  json.RawMessage
	err     *Error
	refusal error
	heard   *atomic.Int64 // messages of the server's own, so far; nil before the request
	before  int64         // how many they were then
}

type exchangeKey struct{}

// WithExchange returns a context for requests of a session, as in CallTool and
// ListTools, and what follows them.
func WithExchange(ctx context.Context) (context.Context, *Exchange) {
	x := new(Exchange)
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// exchangeOf returns that of ctx, or one that nobody sees.
func exchangeOf(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return new(Exchange)
}

// Sent reports whether a part of the request may have reached the server, so
// that it may have been run. It is not set back by a later request.
func (x *Exchange) Sent() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sent
}

// Result returns the member "result" as it came over the wire; nil if there was
// none. It must not be changed.
func (x *Exchange) Result() json.RawMessage {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.result
}

// Err returns the *[Error] for which there is no answer; nil if there is one, or
// the request has not ended, or was given up.
func (x *Exchange) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		return nil
	}
	return x.err
}

// Refusal returns the JSON-RPC error with which the server has answered; nil if
// it has not. The SDK takes some of their codes for errors of its own.
func (x *Exchange) Refusal() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.refusal
}

// Messages returns how many messages of its own, notifications and requests, the
// server has sent since the request was made, on the way on which its answer comes.
// Others that wait on a connection count the same ones.
func (x *Exchange) Messages() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.heard == nil {
		return 0
	}
	return int(x.heard.Load() - x.before)
}

// begin starts with a request. heard counts the messages of the server's own on the
// way on which its answer comes.
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

// settle takes the answer.
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

// fail ends the request without an answer. What came first is why.
func (x *Exchange) fail(e *Error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		x.err = e
	}
}
