package upstream

import (
	"context"
	"time"
)

// How calls use an upstream: they take the session that is there, and are
// waited for at the end.

// leaveSession sees to it that no further call comes to s.
func (u *upstream) leaveSession(s *session) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.session == s {
		u.session = nil
	}
}

// connected returns the session. If the upstream is about to be connected it
// waits for that; if it is down it does not.
func (u *upstream) connected(ctx context.Context) (*session, *CallError) {
	for {
		s, news, e := u.current()
		if s != nil || e != nil {
			return s, e
		}
		select {
		case <-news:
		case <-u.ctx.Done():
		case <-ctx.Done():
			return nil, &CallError{Class: TimedOut, Reason: "it was not connected in time", Err: ctx.Err(), before: true}
		}
	}
}

// current returns the session, or why there is none. If there is neither, one
// has been asked for, and news are to be waited for.
func (u *upstream) current() (*session, <-chan struct{}, *CallError) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.held != nil:
		return nil, nil, u.held.refused()
	case u.session != nil:
		return u.session, nil, nil
	case u.state == Closed || u.ctx.Err() != nil:
		return nil, nil, errRemoved
	case u.state == Down:
		return nil, nil, u.err.refused()
	}
	select { // the first one wakes it; under the lock, so that it is not for a later one
	case u.wake <- struct{}{}:
	default:
	}
	return nil, u.news, nil
}

// enter lets a call in, if the upstream is not about to end.
func (u *upstream) enter() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.retiring {
		return false
	}
	u.inFlight++
	u.used = time.Now()
	return true
}

func (u *upstream) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.inFlight--
	u.used = time.Now()
	if u.inFlight == 0 && u.idle != nil {
		close(u.idle)
		u.idle = nil
	}
}

// retire refuses further calls.
func (u *upstream) retire() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.retiring = true
	if u.inFlight > 0 && u.idle == nil {
		u.idle = make(chan struct{})
	}
}

// drain waits for the calls in flight, which have deadlines, and ends the
// upstream.
func (u *upstream) drain() {
	u.mu.Lock()
	idle := u.idle
	u.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-u.ctx.Done():
		}
	}
	u.cancel()
	<-u.ended
	if h, ok := u.cfg.Endpoint.(HTTP); ok && u.discovered { // the client is its own
		h.Client.CloseIdleConnections()
	}
}

// refresh asks the server again, for its tools and then for the rest.
func (u *upstream) refresh(ctx context.Context) error {
	if err := await(ctx, u.reload, u.ctx.Done(), ErrClosed); err != nil {
		return err
	}
	u.mu.Lock()
	s := u.session
	u.mu.Unlock()
	if s == nil || len(u.branches) == 1 {
		return nil
	}
	return await(ctx, s.relist, s.unlisted, nil)
}

// await asks for something to be done and returns what has become of it, or
// otherwise if there is nobody any more who would do it.
func await(ctx context.Context, requests chan<- chan error, gone <-chan struct{}, otherwise error) error {
	done := make(chan error, 1)
	select {
	case requests <- done:
	case <-gone:
		return otherwise
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-gone:
		return otherwise
	case <-ctx.Done():
		return ctx.Err()
	}
}
