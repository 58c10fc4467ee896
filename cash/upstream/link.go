package upstream

import (
	"context"
	"sync"
	"time"
)

// link is the way to a server: how it is, and the session of the moment. The
// goroutine of the upstream brings sessions and takes them away; calls use what is
// there, and ask for one where there is none.
type link struct {
	life    context.Context // of the upstream
	wake    chan struct{}   // a call wants a session
	holding chan struct{}   // held has changed
	changed func()          // shows how it is
	breaker breaker

	mu      sync.Mutex
	state   State
	since   time.Time
	err     *CallError // why it is failing or down
	retry   time.Time
	session *session
	news    chan struct{} // closed, and made anew, when it is connected or known not to be
	held    *CallError    // why nothing may go to the server; nil if it may
}

func newLink(life context.Context, changed func()) *link {
	return &link{
		life: life, wake: make(chan struct{}, 1), holding: make(chan struct{}, 1), changed: changed,
		since: time.Now(), news: make(chan struct{}),
	}
}

// now returns how the link is, and why.
func (l *link) now() (State, *CallError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.err
}

// set notes how the link is and shows it in the tree.
func (l *link) set(s State, err *CallError, retry time.Duration) {
	l.mu.Lock()
	l.become(s, err, retry)
	l.mu.Unlock()
	l.changed()
}

// change is set for a link that is as was said; it reports whether it is.
func (l *link) change(from, to State, err *CallError, retry time.Duration) bool {
	l.mu.Lock()
	if l.state != from {
		l.mu.Unlock()
		return false
	}
	l.become(to, err, retry)
	l.mu.Unlock()
	l.changed()
	return true
}

// become notes how the link is, and tells those who wait for a session if there
// will be none soon. The caller holds l.mu.
func (l *link) become(s State, err *CallError, retry time.Duration) {
	now := time.Now()
	if l.state != s {
		l.since = now
	}
	l.state, l.err, l.retry = s, err, time.Time{}
	if retry > 0 {
		l.retry = now.Add(retry)
	}
	if s == Down {
		l.tell()
	}
}

// tell wakes those who wait for a session. The caller holds l.mu.
func (l *link) tell() {
	close(l.news)
	l.news = make(chan struct{})
}

// connect makes a session by open and brings it. What is down stays so until it is
// up.
func (l *link) connect(open func() (*session, error)) (*session, error) {
	l.mu.Lock()
	if l.state != Down {
		l.become(Connecting, nil, 0)
	}
	l.mu.Unlock()
	s, err := open()
	l.breaker.reset()
	l.mu.Lock()
	select { // whoever has asked for a session learns of it now
	case <-l.wake:
	default:
	}
	if err != nil {
		l.become(Down, asCallError(err), 0)
	} else {
		l.session = s
		l.become(Connected, nil, 0)
	}
	l.mu.Unlock()
	l.changed()
	if err == nil {
		l.mu.Lock()
		l.tell() // now that the tree shows it
		l.mu.Unlock()
	}
	return s, err
}

// take returns the session. If there is about to be one it waits for that; if the
// server is down it does not.
func (l *link) take(ctx context.Context) (*session, *CallError) {
	for {
		s, news, e := l.current()
		if s != nil || e != nil {
			return s, e
		}
		select {
		case <-news:
		case <-l.life.Done():
		case <-ctx.Done():
			return nil, &CallError{Class: TimedOut, Reason: "it was not connected in time", Err: ctx.Err(), before: true}
		}
	}
}

// current returns the session, or why there is none. If there is neither, one
// has been asked for, and news are to be waited for.
func (l *link) current() (*session, <-chan struct{}, *CallError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.held != nil:
		return nil, nil, l.held.refused()
	case l.session != nil:
		return l.session, nil, nil
	case l.state == Closed || l.life.Err() != nil:
		return nil, nil, errRemoved
	case l.state == Down:
		return nil, nil, l.err.refused()
	}
	signal(l.wake) // the first one wakes it; under the lock, so that it is not for a later one
	return nil, l.news, nil
}

// settled sends done the outcome of the attempt to connect that comes next. It is
// called before that begins.
func (l *link) settled(done chan<- error) {
	l.mu.Lock()
	news := l.news
	l.mu.Unlock()
	go func() { // ends with the attempt, which has a deadline
		select {
		case <-news:
		case <-l.life.Done():
		}
		if _, err := l.take(l.life); err != nil {
			done <- err
			return
		}
		done <- nil
	}()
}

// peek returns the session; nil if there is none.
func (l *link) peek() *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

// leave sees to it that no further call comes to s.
func (l *link) leave(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session == s {
		l.session = nil
	}
}

// hold keeps everything from the server, because of e; nil lets it through
// again.
func (l *link) hold(e *CallError) {
	l.mu.Lock()
	same := l.held == nil && e == nil
	l.held = e
	l.mu.Unlock()
	if !same {
		signal(l.holding)
	}
}

func (l *link) heldBy() *CallError {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}
