package mcpclient

import (
	"context"
	"encoding/json"
	"sync"

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

// begin starts with a request.
func (x *Exchange) begin() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.result, x.err, x.refusal = nil, nil, nil
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

func (x *Exchange) fail(e *Error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.err = e
}
