package upstream

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// upstream is one server: its connection, of which there is at most one at a
// time, and its places in the tree. One goroutine (run) connects, reads what
// the server has, and publishes it; calls only use what is there.
type upstream struct {
	agg        *Aggregator
	cfg        Server
	mounts     []mount
	discovered bool   // by a manifest
	pins       string // under which its definitions are pinned
	log        *slog.Logger

	ctx    context.Context // ends when the upstream is cut off
	cancel context.CancelFunc
	ended  chan struct{} // closed when run has returned
	tried  chan struct{} // closed when it has been tried to connect once
	once   sync.Once     // of tried
	wake   chan struct{} // a call wants a connection

	catalog atomic.Pointer[catalog]
	breaker breaker
	slots   chan struct{} // one for each call that runs
	waiting atomic.Int32  // calls that wait for a slot
	readers chan struct{} // one for each page that is asked for
	pinning sync.Mutex    // what is pinned is read and written by one at a time
	late    string        // what was pinned later than the rest, in words; guarded by pinning

	mu       sync.Mutex
	state    State
	since    time.Time
	err      *CallError // why it is failing or down
	retry    time.Time
	session  *session
	news     chan struct{} // closed, and made anew, when it is connected or known not to be
	inFlight int
	retiring bool
	idle     chan struct{} // closed when nothing is in flight; nil if nobody waits for that
	used     time.Time     // the last call
	reload   chan chan error
	held     *CallError    // why nothing may go to the server; nil if it may
	holding  chan struct{} // held has changed

	branches []*branch // of the tools first
	server   string    // tells the server from every other one
}

func newUpstream(a *Aggregator, cfg Server, mounts []mount) *upstream {
	u := &upstream{
		agg: a, cfg: cfg, mounts: mounts, pins: mounts[0].key(),
		log:   a.opts.Logger.With("upstream", mounts[0].label),
		ended: make(chan struct{}), tried: make(chan struct{}), wake: make(chan struct{}, 1),
		slots: make(chan struct{}, cfg.Concurrency), readers: make(chan struct{}, crawlers), since: time.Now(), used: time.Now(),
		reload: make(chan chan error), news: make(chan struct{}), holding: make(chan struct{}, 1),
	}
	u.ctx, u.cancel = context.WithCancel(a.life)
	for _, kind := range kinds {
		if reg := a.registry(kind); reg != nil {
			u.branches = append(u.branches, &branch{kind: kind, reg: reg})
		}
	}
	u.server = fingerprint(cfg.Endpoint)
	return u
}

// takeOver lets u begin with what old has published, until it has something of
// its own. Who may see that is decided by u from now on. The caller holds the
// aggregator's lock.
func (u *upstream) takeOver(old *upstream) {
	for i, b := range u.branches {
		if was := old.branches[i].published; was.trees == nil && !was.inherited {
			continue
		}
		b.published.inherited = true
		for _, m := range u.mounts {
			if u.agg.mounts[m.key()] != old || !b.reg.Exists(m.label) {
				continue
			}
			if ns, err := b.reg.TryNamespace(m.label, ""); err == nil {
				ns.Restrict(u.cfg.VisibleTo)
			}
		}
	}
}

// Reconnecting begins with the first pause and doubles it up to the last one. A
// connection that has held for as long as stable begins anew.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = time.Minute
	stable     = 30 * time.Second
)

// run is the life of the upstream.
func (u *upstream) run() {
	defer close(u.ended)
	defer u.setState(Closed, nil, 0)
	if u.cfg.Lazy && u.fromPins() {
		u.hasTried()
		u.setState(Idle, nil, 0)
		if !u.awaken() {
			return
		}
	}
	pause, again := time.Duration(0), false
	for u.ctx.Err() == nil {
		if !u.released() {
			return
		}
		began := time.Now()
		s, err := u.connect()
		if err == nil {
			err = u.attend(s)
		}
		if time.Since(began) > stable {
			pause, again = 0, false
		}
		switch {
		case u.ctx.Err() != nil:
			return
		case errors.Is(err, errHeld):
			continue
		case errors.Is(err, errIdle):
			u.setState(Idle, nil, 0)
			if !u.awaken() {
				return
			}
			continue
		case s != nil && !again: // lost: the first time it is tried at once
			u.log.Warn("connection lost", "error", err)
			again = true
			continue
		}
		pause = nextPause(pause)
		wait := max(jitter(pause), asCallError(err).RetryAfter)
		u.setState(Down, asCallError(err), wait)
		u.log.Warn("not connected", "error", err, "retry", wait.Round(time.Millisecond))
		if !u.sleep(wait) {
			return
		}
	}
}

func (u *upstream) hasTried() { u.once.Do(func() { close(u.tried) }) }

// nextPause returns the pause after another failure.
func nextPause(pause time.Duration) time.Duration {
	return min(max(2*pause, firstPause), lastPause)
}

// jitter spreads a pause, upwards only.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/4+1))
}

func (u *upstream) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return true
		case done := <-u.reload: // somebody wants it now
			u.settle(done)
			return true
		case <-u.holding:
			return true
		case <-u.ctx.Done():
			return false
		}
	}
}

// hold keeps everything from the server, because of e; nil lets it through
// again.
func (u *upstream) hold(e *CallError) {
	u.mu.Lock()
	same := u.held == nil && e == nil
	u.held = e
	u.mu.Unlock()
	if same {
		return
	}
	select {
	case u.holding <- struct{}{}:
	default:
	}
}

func (u *upstream) heldBy() *CallError {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.held
}

// released waits until the server may be connected to; false is the end of the
// upstream.
func (u *upstream) released() bool {
	for {
		e := u.heldBy()
		if e == nil {
			return true
		}
		u.setState(Down, e, 0)
		u.hasTried()
		select {
		case <-u.holding:
		case done := <-u.reload:
			done <- e
		case <-u.ctx.Done():
			return false
		}
	}
}

// settle lets done have the outcome of the attempt to connect that comes next.
// It is called before that begins.
func (u *upstream) settle(done chan<- error) {
	u.mu.Lock()
	news := u.news
	u.mu.Unlock()
	go func() { // ends with the attempt, which has a deadline
		select {
		case <-news:
		case <-u.ctx.Done():
		}
		if _, err := u.connected(u.ctx); err != nil {
			done <- err
			return
		}
		done <- nil
	}()
}

// awaken waits until a call wants a connection.
func (u *upstream) awaken() bool {
	select {
	case <-u.wake:
		return true
	case <-u.holding:
		return true
	case done := <-u.reload:
		u.settle(done)
		return true
	case <-u.ctx.Done():
		return false
	}
}

// setState notes how the upstream is and shows it in the tree.
func (u *upstream) setState(s State, err *CallError, retry time.Duration) {
	u.mu.Lock()
	u.become(s, err, retry)
	u.mu.Unlock()
	u.publish()
}

// become notes how the upstream is, and tells those who wait for a connection if
// there will be none soon. The caller holds u.mu.
func (u *upstream) become(s State, err *CallError, retry time.Duration) {
	now := time.Now()
	if u.state != s {
		u.since = now
	}
	u.state, u.err, u.retry = s, err, time.Time{}
	if retry > 0 {
		u.retry = now.Add(retry)
	}
	if s == Down {
		u.tell()
	}
}

// tell wakes those who wait for a connection. The caller holds u.mu.
func (u *upstream) tell() {
	close(u.news)
	u.news = make(chan struct{})
}

// connect makes a session and reads what the server has.
func (u *upstream) connect() (*session, error) {
	u.mu.Lock()
	if u.state != Down { // what is down stays so until it is up
		u.become(Connecting, nil, 0)
	}
	u.mu.Unlock()
	s, err := u.open()
	u.breaker.reset()
	u.mu.Lock()
	select { // whoever has asked for a connection learns of it now
	case <-u.wake:
	default:
	}
	if err != nil {
		u.become(Down, asCallError(err), 0)
	} else {
		u.session = s
		u.become(Connected, nil, 0)
	}
	u.mu.Unlock()
	u.publish()
	if err == nil {
		u.log.Info("connected", "server", s.name())
		u.mu.Lock()
		u.tell() // now that the tree shows it
		u.mu.Unlock()
	}
	if err != nil || len(u.branches) == 1 { // else it is asked for its resources and prompts first
		u.hasTried()
	}
	return s, err
}

// open makes a session and loads the catalog, within the time for both.
func (u *upstream) open() (*session, error) {
	ctx, cancel := context.WithTimeout(u.ctx, u.cfg.ConnectTimeout)
	defer cancel()
	s, err := dial(ctx, u)
	if err != nil {
		return nil, err
	}
	if err := u.load(ctx, s); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}
