package cash

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// pendingWait is the longest time for which help waits for servers that are being connected for the first time
// ([registry.Error.Pending]).
const pendingWait = 3 * time.Second

// awaited calls look, and calls it once more if its answer depends on servers that the caller sees and of which nothing
// is known yet. In between it waits for them, at most for pendingWait.
func awaited[T any](ctx context.Context, look func() (T, error), pending func(T, error) []<-chan struct{}) (T, error) {
	v, err := look()
	wait := pending(v, err)
	if len(wait) == 0 {
		return v, err
	}
	timer := time.NewTimer(pendingWait)
	defer timer.Stop()
	for _, done := range wait {
		select {
		case <-done:
		case <-timer.C:
			return look()
		case <-ctx.Done():
			return v, err
		}
	}
	return look()
}

// listAwaited is List, but waits for servers that are being connected for the first time.
func (s *Server) listAwaited(ctx context.Context, path string) (*registry.Listing, error) {
	return awaited(ctx, func() (*registry.Listing, error) { return s.source.List(ctx, path) },
		func(l *registry.Listing, err error) (list []<-chan struct{}) {
			if err != nil {
				return pendingOf(err)
			}
			for _, c := range l.Namespaces {
				if c.Pending != nil && !closed(c.Pending) {
					list = append(list, c.Pending)
				}
			}
			if l.Unavailable != nil {
				list = append(list, pendingOf(l.Unavailable)...)
			}
			return list
		})
}

// functionAwaited is Function, but waits for a server that is being connected for the first time.
func (s *Server) functionAwaited(ctx context.Context, path, name string) (*registry.Function, error) {
	return awaited(ctx, func() (*registry.Function, error) { return s.source.Function(ctx, path, name) },
		func(_ *registry.Function, err error) []<-chan struct{} { return pendingOf(err) })
}

// pendingOf returns the channel of an error that may pass soon; nil if there is none.
func pendingOf(err error) []<-chan struct{} {
	if err == nil {
		return nil
	}
	if done := registry.AsError(err).Pending; done != nil && !closed(done) {
		return []<-chan struct{}{done}
	}
	return nil
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
