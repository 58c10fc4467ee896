package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/internal/ledger"
	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// Options bound a [Store], as [firewall.MemoryOptions] bound a [firewall.Memory]. Nil means all defaults.
type Options struct {
	// MaxBytes bounds the bytes kept and reserved. Zero is 256 MiB.
	MaxBytes int64
	// MaxBytesPerOwner bounds the bytes of one [firewall.Owner.Payer]. Zero is 64 MiB.
	MaxBytesPerOwner int64
	// MaxArtifacts bounds the number of artifacts and reservations. Zero is 10,000.
	MaxArtifacts int
	// MaxPerOwner bounds the artifacts and reservations of one payer. Zero is 1,000.
	MaxPerOwner int
	// MaxAge is how long an artifact is kept at most. Zero is half an hour. An older artifact with a later expiry
	// expires at most MaxAge after Open.
	MaxAge time.Duration
	// Promise is how long an artifact is kept at least, also one of an earlier Open. Then it may give way to others.
	// Zero is 5 minutes, more than MaxAge is MaxAge.
	Promise time.Duration
	// Now is the clock, safe for concurrent use. Nil is time.Now.
	Now func() time.Time
	// Logger receives damaged, unreadable and undeletable files: names and errors, no contents. Nil discards.
	Logger *slog.Logger
}

// A Store is a [firewall.Store] in a directory. Use it from one process at a time. Artifacts that Keep has returned
// survive a crash of the process and of the machine. Make one with [Open].
type Store struct {
	folder durable.Folder
	lock   io.Closer
	log    *slog.Logger

	// life is held for reading by every operation, and for writing by Close.
	life   sync.RWMutex
	closed bool

	// mu guards the index, and the blobs while they are renamed or removed. It is not held during reads and writes.
	mu     sync.Mutex
	ledger *ledger.Ledger
	blobs  map[ledger.Digest]int // artifacts per content
	spares []spare               // waiting for a call
	litter map[string]struct{}   // files that could not be removed
}

// Open opens the store in dir and creates dir if it does not exist. It recovers from a crash: every finished Keep is
// there and whole, and nothing is left of an unfinished one. It fails if another store uses the directory. The caller
// must call Close.
func Open(dir string, opts *Options) (*Store, error) { return open(dir, opts, nil) }

// open is Open with faults, for tests.
func open(dir string, opts *Options, fault func(op, name string) error) (*Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	d := &Store{
		log: o.Logger, blobs: make(map[ledger.Digest]int), litter: make(map[string]struct{}),
		ledger: ledger.New(ledger.Limits{
			MaxBytes: o.MaxBytes, MaxBytesPerOwner: o.MaxBytesPerOwner, MaxArtifacts: o.MaxArtifacts, MaxPerOwner: o.MaxPerOwner,
			MaxAge: o.MaxAge, Promise: o.Promise, Now: o.Now,
		}),
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if err := d.openFolder(dir, fault); err != nil {
		return nil, fmt.Errorf("opening a store of artifacts in %q: %w", dir, err)
	}
	return d, nil
}

// openFolder opens and locks the directory, and recovers the index.
func (d *Store) openFolder(dir string, fault func(op, name string) error) (err error) {
	if d.folder, err = durable.Open(dir, fault); err != nil {
		return err
	}
	d.lock, err = d.folder.Lock(lockName)
	if errors.Is(err, rootfs.ErrLocked) {
		err = fmt.Errorf("another store uses the directory: %w", err)
	}
	if err != nil {
		d.folder.Root.Close()
		return err
	}
	if err := d.recover(); err != nil {
		d.closeFolder()
		return err
	}
	return nil
}

func (d *Store) closeFolder() error { return errors.Join(d.lock.Close(), d.folder.Root.Close()) }

// Close waits for running operations and unlocks the directory. Later operations return an error that wraps
// [fs.ErrClosed]. The next Open removes the files of reservations that were not released. Close may be called more than
// once.
func (d *Store) Close() error {
	d.life.Lock()
	defer d.life.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.spares {
		d.remove(s.name)
	}
	return d.closeFolder()
}

// enter begins an operation. The caller ends it with d.life.RUnlock.
func (d *Store) enter(ctx context.Context) error {
	d.life.RLock()
	err := ctx.Err()
	if d.closed {
		err = fmt.Errorf("store of artifacts: %w", fs.ErrClosed)
	}
	if err != nil {
		d.life.RUnlock()
	}
	return err
}

// Usage returns how much the store holds. Expired artifacts count until the next use of the store.
func (d *Store) Usage() firewall.Usage {
	d.mu.Lock()
	defer d.mu.Unlock()
	var u firewall.Usage
	u.Artifacts, u.Bytes = d.ledger.Used()
	return u
}

// Reserve implements [firewall.Store]. A reservation has room for one artifact of size bytes. The error is a
// [*firewall.FullError] if there is no room, and another error if the directory cannot be written. On a full disk,
// artifacts whose promise has ended give way.
func (d *Store) Reserve(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.life.RUnlock()
	id := ledger.OwnerOf(owner.ID, owner.Payer, owner.Guest)
	r, err := d.reserve(id, size, (*ledger.Ledger).Reserve)
	if !errors.Is(err, errDiskFull) {
		return r, err
	}
	r, err = d.reserve(id, size, (*ledger.Ledger).Exchange)
	var full *firewall.FullError
	if errors.As(err, &full) {
		return nil, &firewall.FullError{Limit: errDiskFull.Limit, RetryAfter: full.RetryAfter}
	}
	return r, err
}

// reserve takes room in the ledger with take, and disk space.
func (d *Store) reserve(owner ledger.Owner, size int64, take taking) (firewall.Reservation, error) {
	r, waiting, err := d.takeRoom(owner, size, take)
	if err != nil {
		return nil, err
	}
	spare, err := d.prepare(waiting, r.Bytes)
	if err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.remove(spare.name)
		d.ledger.Release(r)
		return nil, err
	}
	return &room{d, r, spare}, nil
}

// A taking is Reserve or Exchange of a ledger.
type taking func(*ledger.Ledger, ledger.Owner, int64) (*ledger.Room, *ledger.Full)

// takeRoom takes room in the ledger, and a waiting spare if there is one.
func (d *Store) takeRoom(owner ledger.Owner, size int64, take taking) (*ledger.Room, spare, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	r, full := take(d.ledger, owner, size)
	d.sweep() // what was evicted
	if full != nil {
		return nil, spare{}, (*firewall.FullError)(full)
	}
	var waiting spare
	if n := len(d.spares) - 1; n >= 0 {
		waiting, d.spares = d.spares[n], d.spares[:n]
	}
	return r, waiting, nil
}

// Open implements [firewall.Store]. It also returns [firewall.ErrNotFound] for a damaged artifact.
func (d *Store) Open(ctx context.Context, id, handle string) (*firewall.Artifact, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.life.RUnlock()
	e := d.find(ledger.DigestOf(id), handle)
	if e == nil {
		return nil, firewall.ErrNotFound
	}
	name := blobName(e.Content)
	data, err := d.folder.Read(name, e.Size)
	if err == nil && (int64(len(data)) != e.Size || ledger.Sum(data) != e.Content) {
		err = durable.ErrDamaged
	}
	if err != nil {
		d.log.ErrorContext(ctx, "an artifact cannot be read", "file", name, "error", err)
		return nil, firewall.ErrNotFound
	}
	return &firewall.Artifact{Ref: firewall.Ref(e.RefAs(handle)), Data: data, Created: e.Created, Expires: e.Expires}, nil
}

func (d *Store) find(owner ledger.Digest, handle string) *ledger.Entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	return d.ledger.Find(owner, handle)
}

// sweep removes expired and evicted artifacts, and litter.
func (d *Store) sweep() {
	tries := 8
	for name := range d.litter {
		if tries--; tries < 0 {
			break
		}
		d.remove(name)
	}
	last := ""
	for _, e := range d.ledger.Sweep() {
		if e.Record != last {
			d.remove(e.Record)
		}
		last = e.Record
		d.drop(e.Content)
	}
}

// drop removes a blob when its last artifact is gone.
func (d *Store) drop(content ledger.Digest) {
	if d.blobs[content]--; d.blobs[content] <= 0 {
		delete(d.blobs, content)
		d.remove(blobName(content))
	}
}

// maxLitter bounds the list of files that could not be removed. The next Open removes the others.
const maxLitter = 4096

// remove removes a file. If that fails, it remembers the file as litter.
func (d *Store) remove(name string) {
	err := d.folder.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		delete(d.litter, name)
		return
	}
	if _, known := d.litter[name]; !known && len(d.litter) < maxLitter {
		d.litter[name] = struct{}{}
		d.log.Warn("a file of the store cannot be removed", "file", name, "error", err)
	}
}
