package serve

import (
	"context"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

var errStopping = &registry.Error{
	Kind:    registry.Unavailable,
	Message: "The server is shutting down.",
	Hint:    "Try again in a moment: it may be back, or another instance may answer.",
}

// drain counts the calls in flight, so that a server can stop without cutting them off. The zero
// value is ready.
type drain struct {
	mu       sync.Mutex
	stopping bool
	once     sync.Once // guards the work at the end
	calls    map[*inFlight]struct{}
	idle     chan struct{} // closed when the server stops and no call is left
}

// inFlight is a call in flight.
type inFlight struct {
	drains []*drain
	cancel context.CancelCauseFunc
}

// enter admits a call to all the drains, or refuses it if one of them is stopping.
func enter(ctx context.Context, drains []*drain) (context.Context, *inFlight, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &inFlight{drains, cancel}
	for i, d := range drains {
		if !d.admit(c) {
			c.drains = drains[:i]
			c.leave()
			return nil, nil, errStopping
		}
	}
	return ctx, c, nil
}

func (d *drain) admit(c *inFlight) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping {
		return false
	}
	if d.calls == nil {
		d.calls = make(map[*inFlight]struct{})
	}
	d.calls[c] = struct{}{}
	return true
}

func (c *inFlight) leave() {
	c.cancel(nil)
	for _, d := range c.drains {
		d.release(c)
	}
}

func (d *drain) release(c *inFlight) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.calls, c)
	if d.stopping && len(d.calls) == 0 && d.idle != nil {
		close(d.idle)
		d.idle = nil
	}
}

// stop refuses new calls and waits for those in flight. When ctx ends, it cancels them, waits a
// moment for them to notice, and returns ctx's error.
func (d *drain) stop(ctx context.Context) error {
	d.mu.Lock()
	d.stopping = true
	if len(d.calls) == 0 {
		d.mu.Unlock()
		return nil
	}
	if d.idle == nil {
		d.idle = make(chan struct{})
	}
	idle := d.idle
	d.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	}
	d.mu.Lock()
	for c := range d.calls {
		c.cancel(errStopping)
	}
	d.mu.Unlock()
	timer := time.NewTimer(deliverTimeout)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
	return ctx.Err()
}

// count returns the number of calls in flight.
func (d *drain) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.calls)
}

// isStopping reports whether stop has been called.
func (d *drain) isStopping() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopping
}
