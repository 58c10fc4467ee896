package upstream

import (
	"context"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/pace"
)

// link holds the state of the connection to a server and its current session. The upstream's goroutine sets and
// removes sessions; calls take the current one, or request one.
type link struct {
	life    context.Context // of the upstream
	wake    chan struct{}   // a call needs a session
	holding chan struct{}   // signals that held has changed
	changed func()          // publishes the state
	breaker pace.Breaker

	mu      sync.Mutex
	state   State
	since   time.Time
	err     *CallError // why the state is Failing or Down
	retry   time.Time
	session *session
	news    chan struct{} // closed and replaced when a session is there or known not to come
	held    *CallError    // why nothing may be sent to the server; nil if it may
}

func newLink(life context.Context, changed func()) *link {
	return &link{
		life: life, wake: make(chan struct{}, 1), holding: make(chan struct{}, 1), changed: changed,
		since: time.Now(), news: make(chan struct{}),
	}
}

// now returns the state and its reason.
func (l *link) now() (State, *CallError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.err
}

// set records the state and publishes it.
func (l *link) set(s State, err *CallError, retry time.Duration) {
	l.mu.Lock()
	l.become(s, err, retry)
	l.mu.Unlock()
	l.changed()
}

// change is set if the state is still from. It reports whether it was.
func (l *link) change(from, to State, err *CallError, retry time.Duration) bool {
	l.mu.Lock()
	same := l.state == from
	if same {
		l.become(to, err, retry)
		defer l.changed() // without the lock
	}
	l.mu.Unlock()
	return same
}

// become records the state. If no session will come soon, it wakes the waiting calls. The caller holds l.mu.
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

// tell wakes the calls that wait for a session. The caller holds l.mu.
func (l *link) tell() {
	close(l.news)
	l.news = make(chan struct{})
}

// connect makes a session with open and installs it. A link that is Down stays so until then.
func (l *link) connect(open func() (*session, error)) (*session, error) {
	l.mu.Lock()
	if l.state != Down {
		l.become(Connecting, nil, 0)
	}
	l.mu.Unlock()
	s, err := open()
	l.breaker.Reset()
	l.mu.Lock()
	select { // drop the pending request: it is being served
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
		l.tell() // after the tree shows the new state
		l.mu.Unlock()
	}
	return s, err
}

// take returns the session. It waits while one is being made, and fails at once if the server is down.
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

// current returns the session, or why there is none. If it returns neither, a session has been requested, and the
// channel is closed when the state changes.
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
	signal(l.wake) // under the lock, so that it does not request a later session
	return nil, l.news, nil
}

// settled sends the outcome of the next attempt to connect to done. Call it before that attempt begins.
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

// leave keeps further calls from s.
func (l *link) leave(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session == s {
		l.session = nil
	}
}

// hold refuses all requests to the server because of e; nil allows them again. A link that is Down shows e at once.
func (l *link) hold(e *CallError) {
	l.mu.Lock()
	same := l.held == nil && e == nil
	l.held = e
	l.mu.Unlock()
	if e != nil {
		l.change(Down, Down, e, 0)
	}
	if !same {
		signal(l.holding)
	}
}

// obey makes the link Down if it is held, and returns why it is; nil if it is not.
func (l *link) obey() (e *CallError) {
	l.mu.Lock()
	if e = l.held; e != nil {
		l.become(Down, e, 0)
		defer l.changed() // without the lock
	}
	l.mu.Unlock()
	return e
}
