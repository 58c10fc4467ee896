package control

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// A QuotaStore counts calls. The default lives in memory and serves one process; replicas of a server can share
// another.
//
// Duties of an implementer:
//
//   - It is safe for concurrent use, and each method is atomic.
//   - No minute has more calls than the limit.
//   - It bounds its contents. It refuses new owners rather than forget a [Taking.Lasting] one.
//   - It answers within the deadline of ctx.
//
// Any error of Take refuses the call.
type QuotaStore interface {
	// Take counts one call in each window. It counts in none if the call is dry or if a window refuses it. It returns
	// the refusal with the longest wait. The error is [ErrNoRoom] if the owner cannot be counted.
	Take(ctx context.Context, t *Taking) (*Refusal, error)
	// Forget ends the session of an owner.
	Forget(ctx context.Context, owner string) error
}

// A Taking is a call to be counted.
type Taking struct {
	Owner   string
	Lasting bool          // the owner cannot be replaced by a new one at will
	Idle    time.Duration // a session ends after this time without a call
	Windows []Window
	Dry     bool // count nothing
}

// A Window is one limit that applies to a call.
type Window struct {
	Scope string // the counted thing: a tool of a face, or a function's id, which has a colon
	Limit Limit
}

// A Refusal names the window that has no call left.
type Refusal struct {
	Window  Window
	Session bool          // the limit per session refused, not the one per minute
	Wait    time.Duration // until the next call is possible; zero is until the session ends
}

// sessions is the [QuotaStore] in memory. The size of an item is its number of counts. Lasting owners stay until they
// are idle.
type sessions struct {
	kept  *bounded.Store[string, *session] // by owner
	start time.Time
	all   bounded.Share
}

// session holds the counts of one owner.
type session struct {
	lasting bool
	counts  map[string]*count // by scope
}

func newSessions(most int, now func() time.Time) *sessions {
	s := &sessions{kept: bounded.New[string, *session](now, nil), all: bounded.Share{Most: bounded.Amount{Count: int64(most)}, Evicts: true}}
	s.kept.Sweep()
	s.start = s.kept.Now()
	return s
}

// Take implements [QuotaStore].
func (s *sessions) Take(_ context.Context, t *Taking) (*Refusal, error) {
	s.kept.Lock()
	defer s.kept.Unlock()
	now, it := s.kept.Now().Sub(s.start), s.kept.Get(t.Owner)
	one := &session{lasting: t.Lasting, counts: make(map[string]*count)}
	if it != nil {
		one = it.Value
	}
	if refused := one.refusal(t.Windows, s.start, now); refused != nil || t.Dry {
		if it != nil && !t.Dry {
			s.renew(it, t.Idle)
		}
		return refused, nil
	}
	if it == nil {
		if it = s.kept.Put(t.Owner, one, bounded.Terms{}, s.all); it == nil {
			return nil, ErrNoRoom
		}
	}
	s.renew(it, t.Idle)
	if !s.kept.Resize(it, bounded.Amount{Count: one.with(t.Windows)}, s.all) {
		if len(one.counts) == 0 {
			s.kept.Remove(it)
		}
		return nil, ErrNoRoom
	}
	for _, w := range t.Windows {
		c := one.counts[w.Scope]
		if c == nil {
			c = new(count)
			one.counts[w.Scope] = c
		}
		c.add(w.Limit, s.start, now)
	}
	return nil, nil
}

// renew extends a session that is in use.
func (s *sessions) renew(it *bounded.Item[string, *session], idle time.Duration) {
	until, promised := s.kept.Now().Add(idle), time.Time{}
	if it.Value.lasting {
		promised = until
	}
	s.kept.Renew(it, until, promised)
}

// with returns the number of counts once all windows have one.
func (s *session) with(windows []Window) int64 {
	n := len(s.counts)
	for _, w := range windows {
		if s.counts[w.Scope] == nil {
			n++
		}
	}
	return int64(n)
}

// refusal returns the window with the longest wait, or nil if none refuses.
func (s *session) refusal(windows []Window, start time.Time, now time.Duration) (refused *Refusal) {
	longest := time.Duration(0)
	for _, w := range windows {
		wait, bySession := s.counts[w.Scope].wait(w.Limit, start, now)
		if wait <= longest {
			continue
		}
		longest, refused = wait, &Refusal{w, bySession, wait}
		if wait == forever {
			refused.Wait = 0
		}
	}
	return refused
}

// Forget implements [QuotaStore].
func (s *sessions) Forget(_ context.Context, owner string) error {
	s.kept.Lock()
	defer s.kept.Unlock()
	if it := s.kept.Get(owner); it != nil {
		s.kept.Remove(it)
	}
	return nil
}
