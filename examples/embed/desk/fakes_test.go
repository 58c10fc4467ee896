package desk

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
)

// changing is a store whose users change.
type changing struct {
	*memory
	user atomic.Pointer[User] // anton as he is now; nil is as he was
}

func (c *changing) set(u User) { c.user.Store(&u) }

func (c *changing) User(ctx context.Context, id string) (User, error) {
	u := c.user.Load()
	switch {
	case u == nil || id != "anton":
		return c.memory.User(ctx, id)
	case u.ID == "":
		return User{}, ErrNoUser
	}
	return *u, nil
}

// recording is a store that notes the trace of each transaction, and fails to commit if it is told to.
type recording struct {
	*memory
	failing atomic.Bool
	mu      sync.Mutex
	seen    map[string]bool
}

func (r *recording) InTx(ctx context.Context, f func(context.Context) error) error {
	trace, _ := ctx.Value(traceKey{}).(string)
	r.mu.Lock()
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	r.seen[trace] = true
	r.mu.Unlock()
	return r.memory.InTx(ctx, func(ctx context.Context) error {
		if err := f(ctx); err != nil || !r.failing.Load() {
			return err
		}
		return errors.New("a secret of the database")
	})
}

func (r *recording) traces() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// numbered sends a trace with each request.
type numbered struct {
	id   atomic.Value
	next http.RoundTripper
}

func (n *numbered) RoundTrip(r *http.Request) (*http.Response, error) {
	if id, ok := n.id.Load().(string); ok {
		r = r.Clone(r.Context())
		r.Header.Set("Traceparent", "00-"+id+"-0123456789abcdef-01")
	}
	return n.next.RoundTrip(r)
}

// down is a store that does not answer.
type down struct{ *memory }

func (down) User(context.Context, string) (User, error) {
	return User{}, errors.New("a secret of the database")
}

// slow is a store in whose transactions calls wait until gate is closed.
type slow struct {
	*memory
	gate    chan struct{}
	waiting chan struct{} // gets a value for each transaction that has begun to wait
}

func (s *slow) InTx(ctx context.Context, f func(context.Context) error) error {
	s.waiting <- struct{}{}
	select {
	case <-s.gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.memory.InTx(ctx, f)
}
