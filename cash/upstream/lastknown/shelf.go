package lastknown

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A Shelf keeps one kind of a server's things for all replicas, and has one replica read what has changed. One goroutine
// at a time uses it, except for Tell and Note. A nil Shelf keeps nothing.
type Shelf struct {
	store Store
	key   string
	log   *slog.Logger
	told  chan struct{} // something was kept: for a reader that waits
	news  chan<- struct{}

	mine    Kept                    // what was last kept or taken here
	began   time.Time               // when its reading began
	clock   time.Time               // the store's time when it was last asked; zero if it is unknown
	whole   bool                    // nothing that was read before is to be used
	off     bool                    // the catalog is too large
	trouble [operations]atomic.Bool // whether the last one has failed
}

// An operation is what may be in trouble by itself.
type operation int

const (
	finding operation = iota
	keeping
	taking
	operations
)

// without words the trouble of an operation.
var without = [operations]string{
	"what other processes know of it cannot be found",
	"its catalog is not kept for other processes",
	"its last-known catalog is not used",
}

// A Reader reads things of a server into the catalog of an upstream.
type Reader interface {
	// Read reads them from the server, within ctx, which records it. It returns who has answered.
	Read(ctx context.Context) (*mcp.InitializeResult, error)
	// Replay reads them from a catalog that was read at that time. An error says nothing about the server.
	Replay(ctx context.Context, c *Catalog, at time.Time) error
	// Gone is closed when the connection to the server has ended. It may be nil.
	Gone() <-chan struct{}
}

const (
	leaseTime    = 5 * time.Second // for one reading
	checkPause   = time.Second     // between two looks at what another replica reads, if no word of it comes
	storeTimeout = 3 * time.Second // for one operation of the store
	maxReason    = 300             // characters of an error in the log
)

// NewShelf returns the shelf with a key. Tell sends to news, unless a signal is pending.
func NewShelf(store Store, key string, news chan<- struct{}, log *slog.Logger) *Shelf {
	return &Shelf{store: store, key: key, log: log, told: make(chan struct{}, 1), news: news}
}

// Tell says that something was kept under a key; an empty one is any key.
func (k *Shelf) Tell(key string) {
	if k == nil || key != "" && k.key != key {
		return
	}
	for _, c := range []chan<- struct{}{k.told, k.news} {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Note returns why nothing is shared or taken, in words; empty if all is well.
func (k *Shelf) Note() string {
	if k == nil {
		return ""
	}
	var list []string
	for i := range k.trouble {
		if k.trouble[i].Load() {
			list = append(list, without[i])
		}
	}
	return strings.Join(list, "; ")
}

// Entire reports whether nothing that was read before is to be used, so that what is recorded is the whole server.
func (k *Shelf) Entire() bool { return k != nil && k.whole && !k.off }

type recordingKey struct{}

// Record records the answer to a request if ctx is that of a [Reader].
func Record(ctx context.Context, method string, params mcp.Params, result json.RawMessage) {
	if rec, ok := ctx.Value(recordingKey{}).(*recording); ok {
		rec.add(method, params, result)
	}
}

// Read reads things and keeps them.
func (k *Shelf) Read(ctx context.Context, r Reader) error {
	if k != nil && !k.off {
		_, _, _ = k.find() // for the time of the store before the reading
	}
	return k.read(ctx, r)
}

// errNoTime says that the store has not told the time before a reading.
var errNoTime = errors.New("the store could not be asked before it was read")

// read is Read after the store was asked.
func (k *Shelf) read(ctx context.Context, r Reader) error {
	if k == nil || k.off {
		_, err := r.Read(ctx)
		return err
	}
	before, _ := k.catalog() // nil if there is none
	if k.whole = before == nil || before.worn(); k.whole {
		before = nil
	}
	rec, began := new(recording), time.Now()
	server, err := r.Read(context.WithValue(ctx, recordingKey{}, rec))
	if err != nil {
		k.release()
		return err
	}
	c, err := rec.catalog(server, before)
	if err == nil {
		err = k.keep(c, began)
	}
	k.note(keeping, err)
	if err == nil {
		k.note(taking, nil) // what was not used is replaced
	}
	return nil
}

// keep keeps a catalog whose reading began then.
func (k *Shelf) keep(c *Catalog, began time.Time) error {
	kept, err := c.Encode()
	if err != nil {
		k.mine, k.off = Kept{}, k.whole // otherwise it may have too much of before
		k.release()
		return err
	}
	k.mine, k.began = kept, began
	if k.clock.IsZero() {
		return errNoTime
	}
	kept.Began = k.clock
	return ask(func(ctx context.Context) error { return k.store.Keep(ctx, k.key, kept) })
}

// release ends the lease of a reading that has failed, or was not needed.
func (k *Shelf) release() {
	_ = ask(func(ctx context.Context) error { return k.store.Keep(ctx, k.key, Kept{}) }) // else it lapses
}

// catalog returns what was last kept or taken here; nil if there is none.
func (k *Shelf) catalog() (*Catalog, error) {
	if k == nil || k.mine.Revision == "" {
		return nil, nil
	}
	return Decode(k.mine)
}

// Once reads things that have changed before heard, or takes what another replica has read since then. It waits while
// another one reads, for half of the time that ctx leaves.
func (k *Shelf) Once(ctx context.Context, heard time.Time, r Reader) error {
	if k == nil || k.off {
		return k.read(ctx, r)
	}
	most := 2 * leaseTime
	if end, ok := ctx.Deadline(); ok {
		most = time.Until(end) / 2
	}
	late := time.NewTimer(most)
	defer late.Stop()
	for claimed := false; ; {
		kept, began, err := k.find()
		switch {
		case err != nil:
			return k.read(ctx, r)
		case began.After(heard):
			if claimed {
				k.release()
			}
			if k.take(ctx, kept, began, r) == nil {
				return nil
			}
			return k.read(ctx, r)
		case claimed:
			return k.read(ctx, r)
		}
		err = ask(func(ctx context.Context) (err error) {
			claimed, err = k.store.Claim(ctx, k.key, leaseTime)
			return err
		})
		if err != nil {
			return k.read(ctx, r)
		}
		if claimed {
			continue // another reading may have ended just before
		}
		select {
		case <-k.told:
		case <-time.After(checkPause):
		case <-late.C: // the other one's lease says nothing about the server: it is read here
			return k.read(ctx, r)
		case <-r.Gone():
			return mcp.ErrConnectionClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Recall takes what was kept, if it was read later than what is known here. It reports whether anything is known.
func (k *Shelf) Recall(ctx context.Context, r Reader) bool {
	if k == nil {
		return false
	}
	if kept, began, err := k.find(); err == nil && began.After(k.began) {
		_ = k.take(ctx, kept, began, r) // the note tells
	}
	return k.mine.Revision != ""
}

// Again replays what was last kept or taken here. It reports false if nothing was, or if that fails.
func (k *Shelf) Again(ctx context.Context, r Reader) bool {
	c, err := k.catalog()
	return c != nil && err == nil && r.Replay(ctx, c, k.began) == nil
}

// find returns what is kept, and when its reading began, or a little before; the zero time if there is nothing, or if
// that is unknown because the store has another clock now. It notes the store's time.
func (k *Shelf) find() (kept Kept, began time.Time, err error) {
	asked := time.Now()
	err = ask(func(ctx context.Context) (err error) {
		kept, err = k.store.Find(ctx, k.key, k.mine.Revision)
		return err
	})
	k.note(finding, err)
	k.clock = time.Time{}
	if err == nil {
		k.clock = kept.Now
	}
	if err == nil && kept.Revision != "" && !kept.Began.After(kept.Now) {
		began = asked.Add(kept.Began.Sub(kept.Now))
	}
	return kept, began, err
}

// take replays what was found in the store.
func (k *Shelf) take(ctx context.Context, kept Kept, began time.Time, r Reader) error {
	if kept.Revision == k.mine.Revision {
		k.began = began
		return nil
	}
	k.whole = false
	c, err := Decode(kept)
	if err == nil {
		err = r.Replay(ctx, c, began)
	}
	k.note(taking, err)
	if err == nil {
		k.note(keeping, nil) // what is shown here is what is kept
		k.mine, k.began = kept, began
	}
	return err
}

// ask does an operation of a store apart, because it is foreign code.
func ask(f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	_, err := apart.Do(ctx, 0, func() (none struct{}, err error) { return none, f(ctx) }, nil)
	return err
}

// note notes whether an operation has failed, and logs it when that is new.
func (k *Shelf) note(o operation, err error) {
	if before := k.trouble[o].Swap(err != nil); err != nil && !before {
		k.log.Warn(without[o], "error", clean.Line(err.Error(), maxReason))
	}
}
