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

// Changes that a server announces are waited for, so that many are read once.
const (
	quiet    = 100 * time.Millisecond // after the last one
	mostWait = 2 * time.Second        // after the first one
)

// attend keeps the session until it ends, and returns why.
func (u *upstream) attend(s *session) error {
	defer func() {
		u.leaveSession(s)
		s.close()
	}()
	if len(u.branches) > 1 {
		defer u.attendLists(s)()
	}
	var refresh <-chan time.Time
	if u.cfg.Refresh > 0 {
		t := time.NewTicker(u.cfg.Refresh)
		defer t.Stop()
		refresh = t.C
	}
	r := rereader{upstream: u, session: s}
	for {
		var failed error
		select {
		case <-u.ctx.Done():
			return u.ctx.Err()
		case <-s.ended:
			return s.why()
		case <-u.holding:
			if e := u.heldBy(); e != nil {
				u.rest(s, e)
				return errHeld
			}
		case <-s.changed:
			if u.calm(u.ctx, s, s.changed) {
				failed = r.reread()
			}
		case <-refresh:
			failed = r.reread()
		case <-r.again:
			failed = r.reread()
		case done := <-u.reload:
			failed = r.reread()
			done <- failed
		case <-u.idleTimer():
			if u.letGo() {
				return errIdle
			}
		}
		if failed != nil && asCallError(failed).hung() {
			return failed // whoever does not even say what it has is started anew
		}
	}
}

// rereader reads again what the server has, and once more after a while where that
// fails.
type rereader struct {
	*upstream
	session *session
	again   <-chan time.Time // nil unless it has failed
	pause   time.Duration
}

func (r *rereader) reread() error {
	ctx, cancel := context.WithTimeout(r.ctx, r.cfg.ConnectTimeout)
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

// rest takes the session away, so that no more calls come to it, and waits for
// those that are in flight, which have deadlines.
func (u *upstream) rest(s *session, because *CallError) {
	u.mu.Lock()
	u.session = nil
	if u.inFlight > 0 && u.idle == nil {
		u.idle = make(chan struct{})
	}
	idle := u.idle
	u.mu.Unlock()
	u.setState(Down, because, 0)
	if idle == nil {
		return
	}
	timer := time.NewTimer(u.patience())
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-s.ended:
	case <-u.ctx.Done():
	}
}

// calm waits until the server has stopped to announce changes, or for long
// enough. It reports false if the session has ended, or ctx.
func (u *upstream) calm(ctx context.Context, s *session, changed <-chan struct{}) bool {
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

// idleTimer fires when the upstream may have been unused for long enough; nil if
// that does not matter.
func (u *upstream) idleTimer() <-chan time.Time {
	if u.cfg.Idle == 0 {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return time.After(max(u.cfg.Idle-time.Since(u.used), 10*time.Millisecond))
}

// letGo takes the session away if it has not been used for long enough. Whoever
// comes later waits for another one.
func (u *upstream) letGo() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.inFlight > 0 || time.Since(u.used) < u.cfg.Idle {
		return false
	}
	u.session = nil
	return true
}
