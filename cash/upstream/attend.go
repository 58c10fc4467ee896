package upstream

import (
	"context"
	"errors"
	"time"
)

var (
	errIdle = errors.New("not used for a while")
	errHeld = errors.New("held back")
)

// Announced changes are debounced, so that many of them cause one refresh.
const (
	quiet    = 100 * time.Millisecond // without a further announcement
	mostWait = 2 * time.Second        // since the first announcement
)

// attend serves the session until it ends, and returns why it ended. It refreshes the catalog when that is due. It
// runs in the upstream's goroutine.
func (u *upstream) attend(s *session) error {
	defer func() {
		u.link.leave(s)
		s.close()
	}()
	if len(u.lists.branches) > 0 {
		defer u.lists.attend(u.ctx, s, u.markTried)()
	}
	var refresh <-chan time.Time
	if u.cfg.Refresh > 0 {
		t := time.NewTicker(u.cfg.Refresh)
		defer t.Stop()
		refresh = t.C
	}
	r := rereader{inventory: u.inventory, life: u.ctx, session: s}
	for {
		var failed error
		select {
		case <-u.ctx.Done():
			return u.ctx.Err()
		case <-s.ended:
			return s.why()
		case <-u.link.holding:
			if e := u.link.heldBy(); e != nil {
				u.rest(s, e)
				return errHeld
			}
		case <-s.changed:
			if debounce(u.ctx, s, s.changed) {
				failed = r.reread()
			}
			s.outdated.read()
		case <-u.repinned:
			if u.inventory.pins.Stale(u.ctx) {
				failed = r.reread()
			}
		case <-refresh:
			failed = r.reread()
		case <-r.again:
			failed = r.reread()
		case done := <-u.reload:
			failed = r.reread()
			done <- failed
		case <-u.traffic.quiet(u.cfg.Idle):
			// Later calls wait for another session.
			if u.traffic.unused(u.cfg.Idle, func() { u.link.leave(s) }) {
				return errIdle
			}
		}
		if failed != nil && asCallError(failed).hung() {
			return failed // not even the list of tools was answered: reconnect
		}
	}
}

// rereader reads the server's catalog again, and retries after a pause if that fails.
type rereader struct {
	*inventory
	life    context.Context
	session *session
	again   <-chan time.Time // nil unless the last read failed
	pause   time.Duration
}

func (r *rereader) reread() error {
	ctx, cancel := context.WithTimeout(r.life, r.cfg.ConnectTimeout)
	defer cancel()
	err := r.load(ctx, r.session)
	if err == nil {
		r.again, r.pause = nil, 0
		return nil
	}
	r.pause = nextPause(r.pause)
	r.again = time.After(jitter(r.pause))
	r.log.Warn("reading what has changed failed", "error", err)
	return err
}

// rest takes the session out of use, so that no new calls reach it. It waits for the calls in flight, which have
// deadlines.
func (u *upstream) rest(s *session, because *CallError) {
	u.link.leave(s)
	idle := u.traffic.drained()
	u.link.set(Down, because, 0)
	if idle == nil {
		return
	}
	timer := time.NewTimer(u.pipelineTimeout())
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-s.ended:
	case <-u.ctx.Done():
	}
}

// debounce waits until the server has stopped announcing changes, at most mostWait. It reports false if the session or
// ctx has ended.
func debounce(ctx context.Context, s *session, changed <-chan struct{}) bool {
	most := time.After(mostWait)
	for {
		select {
		case <-changed:
		case <-time.After(quiet):
			return true
		case <-most:
			return true
		case <-s.ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
