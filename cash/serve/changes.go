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

// changes notifies clients when what they see changes. A client must not notice changes of things
// that it does not see. Therefore each client's view is made again, as its caller sees it, and
// compared.
//
// One goroutine does that while there is a client to notify. All notifiers of a [Changing] face use
// it.
type changes struct {
	face Changing
	log  *slog.Logger

	mu      sync.Mutex
	watches map[any]*watch // by session or subscription
	// The goroutine's channels; nil if there is none.
	stop chan struct{} // ends it
	wake chan struct{} // asks for one more round
}

// watch is a client that wants notifications.
type watch struct {
	look   func(context.Context) (digest, error) // makes the digest of what the client sees
	notify func(context.Context) error
	once   bool // one notification per listing of tools

	changed <-chan struct{} // closed by the first change after the first look
	looking atomic.Bool     // a look is running: rules of the embedder may hang
	gone    chan struct{}   // closed when the watch is removed

	// Guarded by changes.mu:
	seen   digest // the view that the client knows or was notified of
	told   bool
	paused bool // nothing is due until the watch starts again
	busy   bool // a notification is on its way: the client may not read
	missed bool // another change during that
}

// digest is a hash of all that a client sees. Zero is no view.
type digest [sha256.Size]byte

// digestOf returns the digest of a whole list.
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

// Changes come in bursts, for example when servers connect.
const (
	changeQuiet = 50 * time.Millisecond  // debounce: after the last change
	changeWait  = 200 * time.Millisecond // debounce: after the first change
	lookTimeout = 5 * time.Second
	tellTimeout = 10 * time.Second
	retryWait   = time.Second // before the first retry for a client that was not reached; doubled each time
	maxRetries  = 3
	maxWatches  = 10_000 // further clients are not notified
)

// first takes the first digest of w. Later ones are compared with it. Call it before the client
// gets any answer, so that no change is missed. If it fails, the next digest counts as a change.
func (c *changes) first(ctx context.Context, w *watch) {
	w.changed = c.next()
	w.seen, _ = c.lookAt(ctx, w)
}

// next returns the channel that the next change closes.
func (c *changes) next() (changed <-chan struct{}) {
	defer func() {
		if v := recover(); v != nil {
			logPanic(context.Background(), c.log, "changed", v)
		}
	}()
	return c.face.Changed()
}

var errHangs = errors.New("the last look has not ended yet")

// lookAt returns the digest of what one client sees.
func (c *changes) lookAt(ctx context.Context, w *watch) (digest, error) {
	if !w.looking.CompareAndSwap(false, true) {
		return digest{}, errHangs
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return Apart(ctx, c.log, "look", func() (digest, error) {
		defer w.looking.Store(false)
		return w.look(ctx)
	})
}

// add starts the watch of key, or starts it again. It reports whether the watch was added, and
// whether there is one now.
func (c *changes) add(key any, w *watch) (added, watched bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.watches[key]
	switch {
	case old != nil:
		old.seen, old.told, old.paused = w.seen, false, false
	case len(c.watches) >= maxWatches:
		return false, false
	default:
		w.gone = make(chan struct{})
		c.watches[key] = w
	}
	if c.stop == nil {
		c.stop, c.wake = make(chan struct{}), make(chan struct{}, 1)
		go c.run(w.changed, c.wake, c.stop)
		return true, true
	}
	select {
	case <-w.changed: // a change happened before w was added
		select {
		case c.wake <- struct{}{}:
		default:
		}
	default:
	}
	return old == nil, true
}

// pause keeps the watch of key silent until it starts again.
func (c *changes) pause(key any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.watches[key]; w != nil {
		w.paused = true
	}
}

// remove ends the watch of key.
func (c *changes) remove(key any) {
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

// run handles changes until it is stopped. changed was made before the first digest.
func (c *changes) run(changed, wake, stop <-chan struct{}) {
	for {
		select {
		case <-changed:
		case <-wake:
		case <-stop:
			return
		}
		var ok bool
		if changed, ok = c.debounce(stop); !ok {
			return
		}
		began := time.Now()
		c.check(stop)
		select { // leaves half of the processor time to others
		case <-time.After(time.Since(began)):
		case <-stop:
			return
		}
	}
}

// debounce waits for the end of a burst of changes, up to a limit. It returns the channel of the
// next change. It reports false if no client is left.
func (c *changes) debounce(stop <-chan struct{}) (<-chan struct{}, bool) {
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

// check notifies every client whose view has changed.
func (c *changes) check(stop <-chan struct{}) {
	c.mu.Lock()
	due := make(map[any]*watch, len(c.watches))
	for key, w := range c.watches {
		if !w.told && !w.paused {
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

// compare makes the digest for one client and notifies it of a change.
func (c *changes) compare(key any, w *watch) {
	now, err := c.lookAt(context.Background(), w)
	if err != nil || !c.record(key, w, now) {
		return
	}
	go func() { // ends with the connection at the latest
		for reached := c.deliver(w); c.finish(w, reached); {
			reached = c.deliver(w)
		}
	}()
}

// record stores the new digest. It reports whether its caller must notify the client.
func (c *changes) record(key any, w *watch, now digest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now == w.seen || w.told || w.paused || c.watches[key] != w {
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

// deliver notifies the client, with retries. It reports whether a notification went out. A client
// without a stream, for example after a proxy cut it, may soon have another.
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
		if !c.waiting(w) {
			return false
		}
	}
	return w.send(c.log) == nil
}

func (w *watch) send(log *slog.Logger) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil { // a middleware of the embedder panicked
			logPanic(ctx, log, "notification", v)
			err = errPanic
		}
	}()
	if err := w.notify(ctx); err != nil {
		log.Debug("a client was not told of a change", "error", err)
		return err
	}
	return nil
}

// waiting reports whether the client still waits for a notification.
func (c *changes) waiting(w *watch) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return w.told || !w.once
}

// finish ends the notification and reports whether another one is due. A client that was not
// reached is notified of the next change.
func (c *changes) finish(w *watch, reached bool) (more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	more = w.missed
	w.busy, w.missed = more, false
	if !more && !reached {
		w.told = false
	}
	return more
}
