package cashsource

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/registry"
)

// inputs caches the arguments of functions whose pages were not read in advance. Simultaneous requests for one function
// share one read.
type inputs struct {
	kept cache[*registry.Input]

	mu      sync.Mutex
	flights map[string]*flight
}

// A flight is one read in progress.
type flight struct {
	done  chan struct{} // closed when input and err are set
	input *registry.Input
	err   error
}

func newInputs() *inputs {
	return &inputs{kept: newCache[*registry.Input](), flights: make(map[string]*flight)}
}

// get returns the input for a key, from the cache or by read, which also returns its size. read gets a context that
// outlives the request, with a deadline.
func (s *inputs) get(ctx context.Context, key string, timeout time.Duration, read func(context.Context) (*registry.Input, int, error)) (*registry.Input, error) {
	s.mu.Lock()
	if in, ok := s.kept.get(key); ok {
		s.mu.Unlock()
		return in, nil
	}
	f := s.flights[key]
	if f == nil {
		f = &flight{done: make(chan struct{})}
		s.flights[key] = f
		go func() { // ends with the deadline
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
			defer cancel()
			var in *registry.Input
			var size int
			err := apart.Guard(func() (err error) { in, size, err = read(ctx); return err })
			s.land(key, f, in, size, err)
		}()
	}
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.input, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// land ends a flight, and caches what it brought.
func (s *inputs) land(key string, f *flight, in *registry.Input, size int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.kept.put(key, in, size)
	}
	f.input, f.err = in, err
	delete(s.flights, key)
	close(f.done)
}

// reader returns the [registry.Remote].Read of a function whose page was not read in advance.
func (v view) reader(path, name string) func(context.Context) (*registry.Input, error) {
	key := v.mount.Key() + "\x00" + offer(path, name)
	return func(ctx context.Context) (*registry.Input, error) {
		return v.inputs.get(ctx, key, v.ReadTimeout, func(ctx context.Context) (*registry.Input, int, error) {
			text, err := v.askFor(ctx, "help", path, name, fullPage)
			if unanswered(err) {
				return nil, 0, err
			}
			f, failed := cashtext.ParseFunction(text)
			if err != nil || failed != nil || cashtext.IsRefusal(text) {
				return inputOf(nil), 0, nil
			}
			_, f = v.moved(cashtext.Entry{}, f)
			return inputOf(f), len(text), nil
		})
	}
}

// unanswered reports whether err is a failure that a call would have as well. Any other says that there is no page.
func unanswered(err error) bool {
	for _, kind := range []registry.Kind{registry.Unavailable, registry.TimedOut, registry.RateLimited, registry.Denied, registry.Canceled} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
