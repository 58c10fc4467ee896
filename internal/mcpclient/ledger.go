package mcpclient

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// calls are the calls that wait for an answer.
type calls struct {
	heard atomic.Int64 // count of the server's own messages
	since atomic.Int64 // that count at the last answer, or when nothing was waiting

	mu   sync.Mutex
	open map[jsonrpc.ID]waiting
}

type waiting struct {
	x    *Exchange
	stop func() bool // stops forgetting the call when its context is done
}

// begin adds a call. It is forgotten when ctx is done.
func (c *calls) begin(ctx context.Context, id jsonrpc.ID) *Exchange {
	x := ExchangeOf(ctx)
	x.begin(&c.heard)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = make(map[jsonrpc.ID]waiting)
	}
	if len(c.open) == 0 {
		c.since.Store(c.heard.Load())
	}
	c.open[id] = waiting{x, context.AfterFunc(ctx, func() { c.take(id) })}
	return x
}

// take removes a call and returns its exchange; nil if it is not waiting.
func (c *calls) take(id jsonrpc.ID) *Exchange {
	c.mu.Lock()
	w, ok := c.open[id]
	delete(c.open, id)
	c.mu.Unlock()
	if !ok {
		return nil
	}
	w.stop()
	return w.x
}

// settle records a response in the exchange of its call.
func (c *calls) settle(r *jsonrpc.Response) {
	x := c.take(r.ID)
	if x != nil {
		c.since.Store(c.heard.Load())
		x.settle(r)
	}
}

// hear counts a message if it is the server's own.
func (c *calls) hear(m jsonrpc.Message) {
	if _, ok := m.(*jsonrpc.Request); ok {
		c.heard.Add(1)
	}
}

// flooded reports whether more than limit messages came in a row while a call waits.
func (c *calls) flooded(limit int) bool {
	return c.heard.Load()-c.since.Load() > int64(limit) && len(c.ids()) > 0
}

// ids returns the ids of the waiting calls.
func (c *calls) ids() []jsonrpc.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]jsonrpc.ID, 0, len(c.open))
	for id := range c.open {
		ids = append(ids, id)
	}
	return ids
}

// failAll fails all calls.
func (c *calls) failAll(e *Error) {
	for _, id := range c.ids() {
		c.settle(&jsonrpc.Response{ID: id, Error: e})
	}
}

// questions are the server's unanswered requests.
type questions struct {
	mu   sync.Mutex
	open map[jsonrpc.ID]bool
}

// ask adds a request, and reports whether there was room.
func (q *questions) ask(id jsonrpc.ID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = make(map[jsonrpc.ID]bool)
	}
	if len(q.open) >= maxQuestions && !q.open[id] {
		return false
	}
	q.open[id] = true
	return true
}

func (q *questions) answered(id jsonrpc.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, id)
}

// refusal returns the answer to a request over the limit.
func refusal(id jsonrpc.ID) []byte {
	return encodeError(id, &Error{Class: TooLarge, Reason: "too many requests without an answer"})
}
