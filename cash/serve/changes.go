package serve

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// changes tells clients when the tools that they see are others. What changes for
// others is not to be noticed, so each client's tools are looked at, as its caller
// sees them, and compared.
//
// One goroutine does that as long as there is somebody to tell.
type changes struct {
	face Changing
	log  *slog.Logger

	mu      sync.Mutex
	watches map[any]*watch // by session or subscription
	// Of the goroutine; nil if there is none:
	stop  chan struct{} // ends it
	again chan struct{} // lets it look once more
}

// watch is somebody who wants to know.
type watch struct {
	look func(context.Context) (digest, error) // at the tools
	tell func(context.Context) error
	once bool // until the tools have been listed again

	changed <-chan struct{} // by what came after the first look began
	looking atomic.Bool     // looked at, right now: rules of the embedder may hang
	gone    chan struct{}   // closed when it is forgotten

	// Guarded by changes.mu:
	seen   digest // what the client knows, or has been told of
	told   bool
	busy   bool // being told: a client that does not read holds that up
	missed bool // there was a change meanwhile
}

// digest stands for the definitions of all tools. Zero is none that there can be.
type digest [sha256.Size]byte

// digestOf reads a list to its end.
func digestOf(ctx context.Context, list ToolList) (digest, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for i := range list.Names {
		if err := ctx.Err(); err != nil {
			return digest{}, err
		}
		if err := enc.Encode(list.Tool(i)); err != nil {
			return digest{}, err
		}
	}
	return digest(h.Sum(nil)), nil
}

// Changes come in bursts, as when servers are connected to.
const (
	changeQuiet = 100 * time.Millisecond // after the last one
	changeWait  = time.Second            // after the first one
	lookTimeout = 5 * time.Second
	tellTimeout = 10 * time.Second
	retryWait   = time.Second // before a client is told again that was not reached, and doubled
	maxRetries  = 3
	maxWatches  = 10_000 // further clients are not told
)

// first looks for the first time: what w sees now is what later looks are
// compared with. It is to be done before the client is told anything, so that no
// change is missed. If the look fails, the next one has news.
func (c *changes) first(ctx context.Context, w *watch) {
	w.changed = c.next()
	w.seen, _ = c.look(ctx, w)
}

// next returns the channel that the next change closes.
func (c *changes) next() (changed <-chan struct{}) {
	defer func() {
		if v := recover(); v != nil {
			logPanic(context.Background(), c.log, listChanged, v)
		}
	}()
	return c.face.Changed()
}

var errHangs = errors.New("the last look has not ended yet")

// look looks at the tools for one client.
func (c *changes) look(ctx context.Context, w *watch) (digest, error) {
	if !w.looking.CompareAndSwap(false, true) {
		return digest{}, errHangs
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return Apart(ctx, c.log, "tools/list", func() (digest, error) {
		defer w.looking.Store(false)
		return w.look(ctx)
	})
}

// watch begins to watch for key, or begins anew.
func (c *changes) watch(key any, w *watch) (added bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.watches[key]
	switch {
	case old != nil:
		old.seen, old.told = w.seen, false
	case len(c.watches) >= maxWatches:
		return false
	default:
		w.gone = make(chan struct{})
		c.watches[key] = w
	}
	if c.stop == nil {
		c.stop, c.again = make(chan struct{}), make(chan struct{}, 1)
		go c.run(w.changed, c.again, c.stop)
		return true
	}
	select {
	case <-w.changed: // a change that may have been looked after already, without w
		select {
		case c.again <- struct{}{}:
		default:
		}
	default:
	}
	return old == nil
}

// forget ends what watch has begun.
func (c *changes) forget(key any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.watches[key]; w != nil {
		close(w.gone)
		delete(c.watches, key)
	}
	if len(c.watches) == 0 && c.stop != nil {
		close(c.stop)
		c.stop = nil
	}
}

// run looks after changes until it is stopped. changed was there before anything
// was looked at.
func (c *changes) run(changed, again, stop <-chan struct{}) {
	for {
		select {
		case <-changed:
		case <-again:
		case <-stop:
			return
		}
		var ok bool
		if changed, ok = c.calm(stop); !ok {
			return
		}
		began := time.Now()
		c.check(stop)
		select { // however often there are changes, half of the time is for others
		case <-time.After(time.Since(began)):
		case <-stop:
			return
		}
	}
}

// calm waits for the end of a burst of changes, but not for ever, and returns what
// the next one closes. It reports false if there is nobody left to tell.
func (c *changes) calm(stop <-chan struct{}) (<-chan struct{}, bool) {
	for waited := changeQuiet; ; waited += changeQuiet {
		changed := c.next()
		select {
		case <-time.After(changeQuiet):
		case <-stop:
			return nil, false
		}
		select {
		case <-changed:
			if waited < changeWait {
				continue
			}
		default:
		}
		return changed, true
	}
}

// check tells everybody whose tools have changed.
func (c *changes) check(stop <-chan struct{}) {
	c.mu.Lock()
	due := make(map[any]*watch, len(c.watches))
	for key, w := range c.watches {
		if !w.told {
			due[key] = w
		}
	}
	c.mu.Unlock()
	for key, w := range due {
		select {
		case <-stop:
			return
		default:
		}
		c.compare(key, w)
	}
}

// compare looks for one client, and tells it if there is something to tell.
func (c *changes) compare(key any, w *watch) {
	now, err := c.look(context.Background(), w)
	if err != nil || !c.news(key, w, now) {
		return
	}
	go func() { // ends with the connection at the latest
		for reached := c.deliver(w); c.rest(w, reached); {
			reached = c.deliver(w)
		}
	}()
}

// news notes what has been seen, and reports whether the client is to be told
// of it by the caller.
func (c *changes) news(key any, w *watch, now digest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now == w.seen || w.told || c.watches[key] != w {
		return false
	}
	if w.once {
		w.told = true
	} else {
		w.seen = now
	}
	w.missed = w.busy
	first := !w.busy
	w.busy = true
	return first
}

// deliver tells the client, and reports whether that went out. Where it has no
// stream at the moment, as when a proxy has cut it off, it may soon have another.
func (c *changes) deliver(w *watch) bool {
	for n := range maxRetries {
		if w.send(c.log) == nil {
			return true
		}
		select {
		case <-time.After(retryWait << n):
		case <-w.gone:
			return false
		}
		if !c.owed(w) {
			return false
		}
	}
	return w.send(c.log) == nil
}

func (w *watch) send(log *slog.Logger) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil { // of a middleware of the embedder's
			logPanic(ctx, log, listChanged, v)
			err = errPanic
		}
	}()
	if err := w.tell(ctx); err != nil {
		log.Debug("a client was not told that tools have changed", "error", err)
		return err
	}
	return nil
}

// owed reports whether the client still waits to be told.
func (c *changes) owed(w *watch) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return w.told || !w.once
}

// rest ends the telling, and reports whether there is more to tell. Who was not
// reached is told of the next change.
func (c *changes) rest(w *watch, reached bool) (more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	more = w.missed
	w.busy, w.missed = more, false
	if !more && !reached {
		w.told = false
	}
	return more
}
