package control

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// A QuotaStore counts calls. The one in memory serves one process; replicas of a server
// share another.
//
// Duties of an implementer: it is safe for concurrent use; each method is one step,
// whoever else calls it; no minute has more calls in it than a limit lets through; it
// bounds what it keeps, and refuses new owners rather than to forget one that is
// [Taking.Lasting]; it answers within the deadline of ctx. Any error of Take refuses the
// call.
type QuotaStore interface {
	// Take takes one call from each window, or from none: if one of them refuses, which
	// is then returned, or if it is dry. Of several that refuse it is the one with the
	// longest wait. The error is [ErrNoRoom] if the owner cannot be counted.
	Take(ctx context.Context, t *Taking) (*Refusal, error)
	// Forget ends the session of an owner.
	Forget(ctx context.Context, owner string) error
}

// A Taking is a call that is to be counted.
type Taking struct {
	Owner   string
	Lasting bool          // the owner cannot be exchanged for a new one at will
	Idle    time.Duration // how long without a call ends the session
	Windows []Window
	Dry     bool // count nothing
}

// A Window is one limit that a call is under.
type Window struct {
	Scope string // what is counted: the name of a face's tool, or a function's id, which has a colon
	Limit Limit
}

// A Refusal says which window has no call left.
type Refusal struct {
	Window  Window
	Session bool          // it is the limit per session, not the one per minute
	Wait    time.Duration // until there is one; zero is until the session ends
}

// sessions is the [QuotaStore] in memory. The size of an item is the number of its
// counts. Lasting owners are promised to stay until they are idle.
type sessions struct {
	kept  *bounded.Store[string, *session] // by owner
	start time.Time
	all   bounded.Share
}

// session is what one owner has used.
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

// renew notes that a session is in use.
func (s *sessions) renew(it *bounded.Item[string, *session], idle time.Duration) {
	until, promised := s.kept.Now().Add(idle), time.Time{}
	if it.Value.lasting {
		promised = until
	}
	s.kept.Renew(it, until, promised)
}

// with returns how many counts there are once the windows have theirs.
func (s *session) with(windows []Window) int64 {
	n := len(s.counts)
	for _, w := range windows {
		if s.counts[w.Scope] == nil {
			n++
		}
	}
	return int64(n)
}

// refusal returns the window for which the call would have to wait longest, nil if for
// none.
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
