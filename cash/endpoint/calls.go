package endpoint

import (
	"context"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// calls follows the functions that run for a request. The pipeline does not wait
// for one that it has given up, but the process has to: one that is about to end
// a process of its own would leave it behind.
type calls struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // not nil: to be closed when none is running
}

type callsKey struct{}

func (c *calls) follow(ctx context.Context) context.Context {
	return context.WithValue(ctx, callsKey{}, c)
}

// followed is the innermost middleware.
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

// wait waits for them to end, at most twice as long as a process is given.
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
