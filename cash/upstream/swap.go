package upstream

import (
	"context"
	"fmt"
	"time"
)

// handover is the time for calls that have found their function before a swap, and have not reached its server.
const handover = 2 * time.Second

// Swap is [Aggregator.Update] without a gap: the old server takes all calls until the new one has been read. If the new
// one cannot be read, or ctx ends before, the old one stays, and the error says why. A lazy server is connected and read
// too, and neither its pins nor what other replicas know of it stand in for that.
func (a *Aggregator) Swap(ctx context.Context, s Server) error {
	s, err := s.withDefaults()
	if err != nil {
		return err
	}
	u := newUpstream(a, s, []mount{{Label: s.Label, Namespace: s.Namespace}}, false)
	u.beside = true
	old, err := a.beside(u)
	if err != nil {
		return err
	}
	select {
	case <-u.tried:
	case <-u.ctx.Done():
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch state, err := u.link.now(); {
	case a.closing:
		return ErrClosed // u ends with the others
	case state != Connected && state != Idle:
		a.retire(u)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil { // it is connecting again; a nil *CallError in an error is not nil
			return fmt.Errorf("label %s: the new server has ended its connection", s.Label)
		}
		return fmt.Errorf("label %s: the new server cannot be read: %w", s.Label, err)
	case a.mounts[u.mounts[0].Key()] != old:
		a.retire(u)
		return fmt.Errorf("label %s: the upstream has changed meanwhile", s.Label)
	}
	u.takeOver(old)
	a.mounts[u.mounts[0].Key()] = u
	u.show()
	time.AfterFunc(handover, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.retire(old) // unless it is ending already
	})
	return nil
}

// beside runs an upstream that has no mounts yet, and returns the one that has them.
func (a *Aggregator) beside(u *upstream) (*upstream, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	old, label := a.mounts[u.mounts[0].Key()], u.mounts[0].Label
	switch {
	case a.closing:
		return nil, ErrClosed
	case old == nil:
		return nil, fmt.Errorf("label %s: there is no such upstream", label)
	case len(old.mounts) > 1 || old.discovered:
		return nil, fmt.Errorf("label %s: the upstream was discovered by its manifest", label)
	}
	a.ups[u] = struct{}{}
	go u.run()
	go u.settle()
	return old, nil
}

// mounted reports whether an upstream has a place in the tree: neither one that is being swapped in, nor one that was
// swapped out.
func (r *roster) mounted(u *upstream) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range u.mounts {
		if r.mounts[m.Key()] == u {
			return true
		}
	}
	return false
}
