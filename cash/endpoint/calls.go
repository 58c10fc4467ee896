package endpoint

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// calls counts the look-ups and functions that run for a request. The pipeline abandons a function at its deadline, but
// the process must not exit while such a function is ending a process of its own.
type calls struct {
	mu      sync.Mutex
	running int
	last    func() // if not nil, called when no function is running
}

type callsKey struct{}

func (c *calls) follow(ctx context.Context) context.Context {
	return context.WithValue(ctx, callsKey{}, c)
}

// begin counts something that runs for the request in ctx, until end is called.
func begin(ctx context.Context) (end func()) {
	c, ok := ctx.Value(callsKey{}).(*calls)
	if !ok {
		return func() {}
	}
	c.begin()
	return c.end
}

// followed is the innermost middleware. It counts the running functions, and notes whose function fails.
func followed(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		defer begin(ctx)()
		at, _ := ctx.Value(siteKey{}).(*site)
		at.enter(call.Function.ServerName())
		res, err := next(ctx, call)
		if err == nil && res != nil && !res.IsError {
			at.enter("")
		}
		return res, err
	}
}

// A site is the place where a call fails.
type site struct{ name atomic.Pointer[string] }

type siteKey struct{}

// failing returns a context for a call whose site is noted.
func failing(ctx context.Context) (context.Context, *site) {
	at := new(site)
	return context.WithValue(ctx, siteKey{}, at), at
}

func (s *site) enter(server string) {
	if s != nil {
		s.name.Store(&server)
	}
}

// server returns the configured name of the server whose function failed. It is empty if the call did not get there, or
// got through.
func (s *site) server() string {
	if name := s.name.Load(); name != nil {
		return *name
	}
	return ""
}

func (c *calls) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
}

func (c *calls) end() {
	c.mu.Lock()
	c.running--
	last := c.last
	if c.running > 0 {
		last = nil
	}
	c.mu.Unlock()
	if last != nil {
		last()
	}
}

// finally has last called once no function is running: now or later.
func (c *calls) finally(last func()) {
	c.mu.Lock()
	if c.running > 0 {
		c.last = last
		last = nil
	}
	c.mu.Unlock()
	if last != nil {
		last()
	}
}

// wait calls last once no function is running. It waits for that, at most twice the grace of a process.
func (c *calls) wait(last func()) {
	idle := make(chan struct{})
	c.finally(sync.OnceFunc(func() {
		last()
		close(idle)
	}))
	timer := time.NewTimer(2 * grace)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}
