package endpoint

import (
	"context"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// calls counts the functions that run for a request. The pipeline abandons a function at its deadline, but the
// process must not exit while such a function is ending a process of its own.
type calls struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // if not nil, closed when no function is running
}

type callsKey struct{}

func (c *calls) follow(ctx context.Context) context.Context {
	return context.WithValue(ctx, callsKey{}, c)
}

// followed is the innermost middleware. It counts the running functions.
func followed(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		if c, ok := ctx.Value(callsKey{}).(*calls); ok {
			c.begin()
			defer c.end()
		}
		return next(ctx, call)
	}
}

func (c *calls) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
}

func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// wait waits for the functions to end, at most twice the grace of a process.
func (c *calls) wait() {
	c.mu.Lock()
	if c.running == 0 {
		c.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	c.idle = idle
	c.mu.Unlock()
	timer := time.NewTimer(2 * grace)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}
