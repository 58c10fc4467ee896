package upstream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/pace"
	"github.com/cash-mcp/go-sdk/registry"
)

// upstream is one mounted server. It consists of parts, each with its own lock:
//
//	settings   configuration                 immutable
//	link       state and session             taken by calls, set by run
//	traffic    calls in flight               bounds, and the wait at the end
//	inventory  the catalog                   read over a session, published in the tree
//	lists      resources and prompts         the same, in parallel
//
// A part knows those above it. One goroutine (run) connects, reads the catalog and publishes it; calls only use the
// result.
type upstream struct {
	*settings
	agg        *Aggregator
	discovered bool // found by a manifest
	beside     bool // it is read before it is mounted, whatever is known of it

	dialer    dialer
	link      *link
	traffic   *traffic
	inventory *inventory
	branches  []*branch // tools first
	lists     lists

	ctx      context.Context // ends when the upstream is cancelled
	cancel   context.CancelFunc
	ended    chan struct{} // closed when run has returned
	tried    chan struct{} // closed after the first attempt to connect
	once     sync.Once     // of tried
	reload   chan chan error
	repinned chan struct{}    // its pins may have changed in the store
	news     [2]chan struct{} // another replica has read its tools; its resources or prompts
}

func newUpstream(a *Aggregator, cfg Server, mounts []mount, discovered bool) *upstream {
	u := &upstream{
		settings: &settings{
			cfg: cfg, mounts: mounts, log: a.opts.Logger.With("upstream", mounts[0].Label), server: fingerprint(cfg),
			connector: mcp.Implementation{Name: a.opts.Name, Version: a.opts.Version}, self: a.reg.Instance(),
			observer: a.observer, shared: a.opts.Catalogs != nil,
			pending: make(chan struct{}),
		},
		agg: a, discovered: discovered, ended: make(chan struct{}), tried: make(chan struct{}),
		reload: make(chan chan error), repinned: make(chan struct{}, 1),
		news: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)},
	}
	u.ctx, u.cancel = context.WithCancel(a.life)
	u.link, u.traffic = newLink(u.ctx, u.publish), newTraffic(cfg.Concurrency)
	u.inventory = &inventory{
		calls:   &calls{settings: u.settings, link: u.link, traffic: u.traffic, asks: &a.asks},
		changed: u.publish, sought: make(chan struct{}, 1), seeks: rate.Sometimes{Interval: seekPause},
	}
	u.pinnedAs(mounts[0].Key())
	if cfg.Credentials != nil {
		u.inventory.users = newUsers(u.ctx, u.settings)
	}
	u.dialer = dialer{settings: u.settings, life: u.ctx, own: u.ownAccount()}
	for _, kind := range kinds {
		if reg := a.registry(kind); reg != nil {
			u.branches = append(u.branches, &branch{inventory: u.inventory, kind: kind, reg: reg, shelf: u.shelf(kind, u.news[min(len(u.branches), 1)])})
			u.dialer.kinds = append(u.dialer.kinds, kind)
		}
	}
	u.inventory.shelf, u.inventory.replay = u.branches[0].shelf, u.dialer.replay
	u.lists = lists{settings: u.settings, branches: u.branches[1:], changed: u.publish, news: u.news[1]}
	return u
}

// ownAccount returns the account of the endpoint; nil if it has no OAuthHandler.
func (u *upstream) ownAccount() *account {
	own := u.cfg.web().OAuthHandler
	if own == nil {
		return nil
	}
	open := func(context.Context) (auth.OAuthHandler, error) { return own, nil }
	a := newAccount(u.cfg.web().URL, u.cfg.ConnectTimeout, u.log, new(atomic.Int32), open)
	a.lent = true
	return a
}

// pinnedAs sets the label under which the definitions are pinned.
func (u *upstream) pinnedAs(label string) {
	u.inventory.pins = &pin.Keeper{Store: u.agg.opts.Pins, Mode: u.agg.opts.Mode, Label: label}
}

// takeOver lets u show what old has published until u has its own catalog. The visibility is that of u. The caller
// holds the aggregator's lock.
func (u *upstream) takeOver(old *upstream) {
	for i, b := range u.branches {
		if was := old.branches[i].published; was.trees == nil && !was.inherited {
			continue
		}
		b.published.inherited = true
		for _, m := range u.mounts {
			if u.agg.mounts[m.Key()] != old || !b.reg.Exists(m.Label) {
				continue
			}
			if ns, err := b.reg.TryNamespace(m.Label, ""); err == nil {
				ns.Restrict(u.cfg.VisibleTo)
			}
		}
	}
}

// stable is how long a connection must have lasted to reset the pause before a reconnect.
const stable = 30 * time.Second

// run is the main loop of the upstream's goroutine.
func (u *upstream) run() {
	defer close(u.ended)
	defer u.link.set(Closed, nil, 0)
	known := !u.beside && u.recall()
	waits := u.cfg.Lazy && !u.beside && (known || u.inventory.fromPins(u.ctx))
	if waits {
		u.link.set(Idle, nil, 0)
	}
	if known || waits {
		u.markTried() // it is served, whether the server answers or not; the tree shows the state already
	}
	if waits && !u.awaitCall() {
		return
	}
	pause, again := time.Duration(0), false
	for u.ctx.Err() == nil {
		if !u.awaitRelease() {
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
			u.link.set(Idle, nil, 0)
			if !u.awaitCall() {
				return
			}
			continue
		case s != nil && !again: // a lost connection is retried at once the first time
			u.log.Warn("connection lost", "error", err)
			again = true
			continue
		}
		pause = pace.Next(pause)
		wait := max(pace.Jitter(pause), asCallError(err).RetryAfter)
		u.link.set(Down, asCallError(err), wait)
		u.log.Warn("not connected", "error", err, "retry", wait.Round(time.Millisecond))
		if !u.sleep(wait) {
			return
		}
	}
}

func (u *upstream) markTried() { u.once.Do(func() { close(u.tried) }) }

// firstWait is how long help may wait for a server of which nothing is known yet.
const firstWait = 2 * time.Second

// settle closes pending when the server has been tried, after firstWait, or when the upstream has ended.
func (u *upstream) settle() {
	timer := time.NewTimer(firstWait)
	defer timer.Stop()
	defer close(u.pending)
	select {
	case <-u.tried:
	case <-timer.C:
	case <-u.ended:
	}
}

func (u *upstream) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	return u.idle(timer.C, nil, nil)
}

// awaitCall waits until a call needs a connection, or until an unknown name is sought.
func (u *upstream) awaitCall() bool { return u.idle(nil, u.link.wake, u.inventory.sought) }

// idle waits until it is time to connect: on the timer, on wake or sought, or on a request to refresh. It reports false
// if the upstream has ended.
func (u *upstream) idle(timer <-chan time.Time, wake, sought <-chan struct{}) bool {
	for {
		select {
		case <-timer:
		case <-wake:
		case <-sought:
		case <-u.news[0]:
			u.recall()
			continue
		case <-u.news[1]:
			u.recall()
			continue
		case <-u.repinned:
			u.review()
			continue
		case done := <-u.reload:
			u.link.settled(done)
		case <-u.link.holding:
		case <-u.ctx.Done():
			return false
		}
		return true
	}
}

// awaitRelease waits until requests to the server are allowed. It reports false if the upstream has ended.
func (u *upstream) awaitRelease() bool {
	for e := u.link.obey(); e != nil; e = u.link.obey() {
		u.markTried()
		select {
		case <-u.link.holding:
		case done := <-u.reload:
			done <- e
		case <-u.ctx.Done():
			return false
		}
	}
	return true
}

// connect makes a session and reads the catalog.
func (u *upstream) connect() (*session, error) {
	s, err := u.link.connect(u.open)
	if err == nil {
		u.log.Info("connected", "server", s.name())
	}
	if err != nil || len(u.lists.branches) == 0 { // otherwise its resources and prompts are read first
		u.markTried()
	}
	return s, err
}

// open makes a session and loads the catalog, within one deadline.
func (u *upstream) open() (*session, error) {
	ctx, cancel := context.WithTimeout(u.ctx, u.cfg.ConnectTimeout)
	defer cancel()
	s, err := u.dialer.dial(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.inventory.shelf.Read(ctx, u.inventory.reading(s, anyway)); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// publish publishes the trees and the state of the upstream.
func (u *upstream) publish() {
	u.agg.mu.Lock()
	defer u.agg.mu.Unlock()
	u.show()
}

// show is publish for a caller that holds the aggregator's lock.
func (u *upstream) show() {
	state, err := u.link.now()
	if _, retiring := u.traffic.now(); retiring && state != Closed {
		return
	}
	for _, b := range u.branches {
		b.show(state, err, func(key string) bool { return u.agg.mounts[key] == u })
	}
}

// drain waits for the calls in flight, which have deadlines, and ends the upstream.
func (u *upstream) drain() {
	if idle := u.traffic.drained(); idle != nil {
		select {
		case <-idle:
		case <-u.ctx.Done():
		}
	}
	if u.inventory.users != nil {
		u.inventory.users.close()
	}
	u.cancel()
	<-u.ended
	if u.dialer.own != nil {
		u.dialer.own.wait()
	}
	if h, ok := u.cfg.Endpoint.(HTTP); ok && u.discovered { // the client belongs to this upstream alone
		h.Client.CloseIdleConnections()
	}
}

// accept pins the definitions that pick selects from the quarantine, and serves them.
func (u *upstream) accept(ctx context.Context, pick func(quarantined []pin.Quarantine) error) error {
	if err := u.inventory.accept(pick); err != nil {
		return err
	}
	if err := u.refresh(ctx); err != nil {
		return &registry.Error{
			Kind: registry.Unavailable, Message: "It is accepted, and the server could not be asked again for what it has.",
			Hint: "It is served once the server has answered. Read the status.", Err: err,
		}
	}
	return nil
}

// refresh reads the tools again, and then the rest.
func (u *upstream) refresh(ctx context.Context) error {
	if err := await(ctx, u.reload, u.ctx.Done(), ErrClosed); err != nil {
		return err
	}
	s := u.link.peek()
	if s == nil || len(u.lists.branches) == 0 {
		return nil
	}
	return await(ctx, s.relist, s.unlisted, nil)
}

// await sends a request to the upstream's goroutine and returns its outcome. It returns otherwise if the goroutine
// is gone.
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
