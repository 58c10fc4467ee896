package firewall

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// DiskOptions bound a [Disk], as [MemoryOptions] do a [Memory]. Nil is fine.
type DiskOptions struct {
	// MaxBytes bounds what is kept and reserved. Zero is 256 MiB.
	MaxBytes int64
	// MaxBytesPerOwner bounds what one owner has of it. Zero is 64 MiB.
	MaxBytesPerOwner int64
	// MaxArtifacts bounds the number of artifacts and reservations. Zero is 10,000.
	MaxArtifacts int
	// MaxPerOwner bounds how many of them one owner has. Zero is 1,000.
	MaxPerOwner int
	// MaxAge is how long an artifact is kept. Zero is half an hour. What was kept with
	// a longer one expires at most that long after the store has been opened.
	MaxAge time.Duration
	// Now is the clock, safe for concurrent use. Nil is time.Now.
	Now func() time.Time
	// Logger gets what is damaged, and what cannot be read or removed: names of
	// files and errors, no contents. Nil discards.
	Logger *slog.Logger
}

// Disk is a [Store] in a directory, which one process uses at a time. What a
// Keep has returned survives the end of the process and of the machine.
//
// The directory holds a file for each content, one for each Keep that describes
// its artifacts, and one for each reservation. They are for the user of the
// process only, not encrypted, and say neither handles nor owners, but digests of
// them. Names that are not the store's own it leaves alone; it follows no links,
// opens nothing but regular files, and leaves the directory never. What has
// expired is removed at the next use of the store, and when it is opened.
//
// # Limits
//
// A part has at most 1 GiB, and all media types and labels of a Keep about
// 4 MiB together; Keep returns an error beyond. On Linux a reservation takes
// the space of the disk too, for the first part of a result; elsewhere a disk
// may be full when the result is there, and Keep says so. Windows does not let
// a directory be flushed: there a loss of power may cost what was kept last.
// It runs where files can be locked: on Windows, Linux, macOS, the BSDs and illumos.
// A store whose directory has been moved or removed keeps nothing until it is
// opened anew. Operations on a file system that hangs hang.
type Disk struct {
	folder *folder
	log    *slog.Logger

	// life is held for reading while the store is used, and for writing by Close.
	life   sync.RWMutex
	closed bool

	// mu is held for the index, and while files appear under the names of blobs
	// or go. It is not held while any are written or read.
	mu     sync.Mutex
	ledger *ledger
	blobs  map[digest]int      // how many artifacts have a content
	litter map[string]struct{} // files that could not be removed
}

// OpenDisk opens the store in dir, which is made if it is not there, and tidies
// it up after a crash: what a Keep has returned is there, whole, and nothing is
// of one that did not. The error says so if another store uses the directory.
// The store needs a Close.
func OpenDisk(dir string, opts *DiskOptions) (*Disk, error) { return openDisk(dir, opts, nil) }

// openDisk is OpenDisk with faults, for tests.
func openDisk(dir string, opts *DiskOptions, fault func(op, name string) error) (*Disk, error) {
	var o DiskOptions
	if opts != nil {
		o = *opts
	}
	f, err := openFolder(dir, fault)
	if err != nil {
		return nil, fmt.Errorf("opening a store of artifacts in %q: %w", dir, err)
	}
	d := &Disk{
		folder: f, log: o.Logger, blobs: make(map[digest]int), litter: make(map[string]struct{}),
		ledger: newLedger(MemoryOptions{o.MaxBytes, o.MaxBytesPerOwner, o.MaxArtifacts, o.MaxPerOwner, o.MaxAge, o.Now}),
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if err := d.recover(); err != nil {
		f.close()
		return nil, fmt.Errorf("opening a store of artifacts in %q: %w", dir, err)
	}
	return d, nil
}

// Close waits until nobody uses the store any more, and gives the directory
// free. Whoever uses the store afterwards gets an error that wraps
// [fs.ErrClosed]. What is reserved then is tidied up at the next opening. Close
// may be called more than once.
func (d *Disk) Close() error {
	d.life.Lock()
	defer d.life.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	return d.folder.close()
}

// enter begins a use of the store, which ends with d.life.RUnlock.
func (d *Disk) enter(ctx context.Context) error {
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

// Reserve implements [Store]. A reservation has room for one artifact of size
// bytes. The error is a [*FullError] if there is none, and another one if the
// directory cannot be written.
func (d *Disk) Reserve(ctx context.Context, owner string, size int64) (Reservation, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.life.RUnlock()
	r, err := d.reserve(digestOf(owner), size)
	if err != nil {
		return nil, err
	}
	// The file shows that the directory can be written, before there is something
	// to lose.
	file := tempPrefix + rand.Text()
	if err := d.folder.allocate(file, r.bytes); err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.remove(file)
		d.ledger.release(r)
		if rootfs.IsFull(err) {
			return nil, &FullError{Limit: "disk"}
		}
		return nil, fmt.Errorf("making room for a result: %w", err)
	}
	return &diskRoom{d, r, file}, nil
}

func (d *Disk) reserve(owner digest, size int64) (*room, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	return d.ledger.reserve(owner, size)
}

// Open implements [Store]. The error is [ErrNotFound] too if the artifact has
// been damaged.
func (d *Disk) Open(ctx context.Context, owner, handle string) (*Artifact, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.life.RUnlock()
	s := d.find(digestOf(owner), handle)
	if s == nil {
		return nil, ErrNotFound
	}
	name := blobName(s.content)
	data, err := d.folder.read(name, s.Size)
	if err == nil && (int64(len(data)) != s.Size || sumOf(data) != s.content) {
		err = errDamaged
	}
	if err != nil {
		d.log.ErrorContext(ctx, "an artifact cannot be read", "file", name, "error", err)
		return nil, ErrNotFound
	}
	return s.artifact(handle, data), nil
}

func (d *Disk) find(owner digest, handle string) *stored {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep()
	return d.ledger.find(owner, handle)
}

// sweep removes what has expired, and litter.
func (d *Disk) sweep() {
	tries := 8
	for name := range d.litter {
		if tries--; tries < 0 {
			break
		}
		d.remove(name)
	}
	last := ""
	for _, s := range d.ledger.sweep() {
		if s.record != last {
			d.remove(s.record)
		}
		last = s.record
		d.drop(s.content)
	}
}

// drop removes a blob if no artifact has it any more.
func (d *Disk) drop(content digest) {
	if d.blobs[content]--; d.blobs[content] <= 0 {
		delete(d.blobs, content)
		d.remove(blobName(content))
	}
}

// maxLitter bounds what is remembered of files that could not be removed. The
// rest is removed when the store is opened again.
const maxLitter = 4096

// remove removes a file, or remembers it.
func (d *Disk) remove(name string) {
	err := d.folder.remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		delete(d.litter, name)
		return
	}
	if _, known := d.litter[name]; !known && len(d.litter) < maxLitter {
		d.litter[name] = struct{}{}
		d.log.Warn("a file of the store cannot be removed", "file", name, "error", err)
	}
}
