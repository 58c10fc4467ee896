package upstream

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// upstream is one server, made of parts that each have a lock of their own:
//
//	settings   what was configured          does not change
//	link       how it is, and its session   taken by calls, brought by run
//	traffic    what is in flight            bounds, and the wait at the end
//	inventory  what it has                  read over a session, shown in the tree
//	lists      its resources and prompts    likewise, beside all else
//
// A part knows those above it. One goroutine (run) connects, reads what the server
// has, and publishes it; calls only use what is there.
type upstream struct {
	*settings
	agg        *Aggregator
	discovered bool // by a manifest

	dialer    dialer
	link      *link
	traffic   *traffic
	inventory *inventory
	branches  []*branch // of the tools first
	lists     lists

	ctx      context.Context // ends when the upstream is cut off
	cancel   context.CancelFunc
	ended    chan struct{} // closed when run has returned
	tried    chan struct{} // closed when it has been tried to connect once
	once     sync.Once     // of tried
	reload   chan chan error
	repinned chan struct{} // somebody else may have changed its pins
}

func newUpstream(a *Aggregator, cfg Server, mounts []mount) *upstream {
	u := &upstream{
		settings: &settings{
			cfg: cfg, mounts: mounts, log: a.opts.Logger.With("upstream", mounts[0].Label), server: fingerprint(cfg.Endpoint),
			connector: mcp.Implementation{Name: a.opts.Name, Version: a.opts.Version}, self: a.reg.Instance(),
		},
		agg: a, ended: make(chan struct{}), tried: make(chan struct{}),
		reload: make(chan chan error), repinned: make(chan struct{}, 1),
	}
	u.ctx, u.cancel = context.WithCancel(a.life)
	u.link, u.traffic = newLink(u.ctx, u.publish), newTraffic(cfg.Concurrency)
	u.inventory = &inventory{
		calls:   &calls{settings: u.settings, link: u.link, traffic: u.traffic, asks: &a.asks},
		changed: u.publish,
	}
	u.pinnedAs(mounts[0].Key())
	u.dialer = dialer{settings: u.settings, life: u.ctx}
	for _, kind := range kinds {
		if reg := a.registry(kind); reg != nil {
			u.branches = append(u.branches, &branch{inventory: u.inventory, kind: kind, reg: reg})
			u.dialer.kinds = append(u.dialer.kinds, kind)
		}
	}
	u.lists = lists{settings: u.settings, branches: u.branches[1:], changed: u.publish}
	return u
}

// pinnedAs says under which label the definitions are pinned.
func (u *upstream) pinnedAs(label string) {
	u.inventory.pins = &pin.Keeper{Store: u.agg.opts.Pins, Mode: u.agg.opts.Mode, Label: label}
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
			if u.agg.mounts[m.Key()] != old || !b.reg.Exists(m.Label) {
				continue
			}
			if ns, err := b.reg.TryNamespace(m.Label, ""); err == nil {
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
	defer u.link.set(Closed, nil, 0)
	if u.cfg.Lazy && u.inventory.fromPins(u.ctx) {
		u.hasTried()
		u.link.set(Idle, nil, 0)
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
			u.link.set(Idle, nil, 0)
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
		u.link.set(Down, asCallError(err), wait)
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
	return u.idle(timer.C, nil)
}

// awaken waits until a call wants a connection.
func (u *upstream) awaken() bool { return u.idle(nil, u.link.wake) }

// idle waits until it is time to connect: for the one, for the other, or because
// somebody asks for what the server has. False is the end of the upstream.
func (u *upstream) idle(timer <-chan time.Time, wake <-chan struct{}) bool {
	select {
	case <-timer:
	case <-wake:
	case done := <-u.reload:
		u.link.settled(done)
	case <-u.link.holding:
	case <-u.ctx.Done():
		return false
	}
	return true
}

// released waits until the server may be connected to; false is the end of the
// upstream.
func (u *upstream) released() bool {
	for {
		e := u.link.heldBy()
		if e == nil {
			return true
		}
		u.link.set(Down, e, 0)
		u.hasTried()
		select {
		case <-u.link.holding:
		case done := <-u.reload:
			done <- e
		case <-u.ctx.Done():
			return false
		}
	}
}

// connect makes a session and reads what the server has.
func (u *upstream) connect() (*session, error) {
	s, err := u.link.connect(u.open)
	if err == nil {
		u.log.Info("connected", "server", s.name())
	}
	if err != nil || len(u.lists.branches) == 0 { // else it is asked for its resources and prompts first
		u.hasTried()
	}
	return s, err
}

// open makes a session and loads the catalog, within the time for both.
func (u *upstream) open() (*session, error) {
	ctx, cancel := context.WithTimeout(u.ctx, u.cfg.ConnectTimeout)
	defer cancel()
	s, err := u.dialer.dial(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.inventory.load(ctx, s); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// publish shows in the trees what the upstream has and how it is.
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

// drain waits for the calls in flight, which have deadlines, and ends the
// upstream.
func (u *upstream) drain() {
	if idle := u.traffic.drained(); idle != nil {
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

// accept pins what pick takes of the definitions that are quarantined now, and
// serves it.
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

// refresh asks the server again, for its tools and then for the rest.
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
