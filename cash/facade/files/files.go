package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/internal/rootfs"
	"github.com/cash-mcp/go-sdk/registry"
)

// Options bound [Files]. Nil means all defaults.
type Options struct {
	// MaxFileBytes bounds a file that is read or written. Zero is 4 MiB.
	MaxFileBytes int64
	// MaxFiles bounds the files of a roundtrip. Zero is 100.
	MaxFiles int
	// MaxBytes bounds the total contents of a roundtrip. Zero is 16 MiB.
	MaxBytes int64
	// MaxManifests bounds the open roundtrips. One caller may have a quarter of them. At the limit the oldest one ends.
	// Zero is 256.
	MaxManifests int
	// MaxAge is how long a roundtrip stays open. Zero is an hour.
	MaxAge time.Duration
	// Now is the clock, safe for concurrent use. Nil is time.Now.
	Now func() time.Time
	// Logger receives problems that do not concern callers, such as a journal file that cannot be removed: names and
	// errors, no contents. Nil discards.
	Logger *slog.Logger
}

// Files are the files below a root. They are safe for concurrent use.
type Files struct {
	disk      durable.Folder
	lock      io.Closer
	journal   fs.FileInfo // the journal's folder, to recognise other spellings of its name
	manifests *manifests
	log       *slog.Logger

	maxFile, maxBytes int64
	maxFiles          int

	// mu is held for writing while files change.
	mu        sync.RWMutex
	closed    bool
	unsettled bool // an interrupted commit is still to be undone
}

// Open opens the files below root. It undoes a commit that was interrupted by a crash. It fails if another process, or
// another Files, uses the root. The caller closes the Files first, then root.
func Open(root *os.Root, opts *Options) (*Files, error) { return open(root, opts, nil) }

// open is Open with faults, for tests.
func open(root *os.Root, opts *Options, fault func(op, name string) error) (*Files, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	f := &Files{
		disk: durable.Folder{Root: root, Fault: fault}, log: o.Logger,
		maxFile: cmp.Or(max(o.MaxFileBytes, 0), 4<<20), maxBytes: cmp.Or(max(o.MaxBytes, 0), 16<<20),
		maxFiles:  cmp.Or(max(o.MaxFiles, 0), 100),
		manifests: newManifests(cmp.Or(max(o.MaxManifests, 0), 256), cmp.Or(max(o.MaxAge, 0), time.Hour), o.Now),
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	if err := f.openJournal(); err != nil {
		return nil, fmt.Errorf("opening the files of a folder: %w", err)
	}
	if err := f.settle(); err != nil {
		f.lock.Close()
		return nil, fmt.Errorf("opening the files of a folder: putting back what a commit had begun: %w", err)
	}
	return f, nil
}

// openJournal creates the folder of the journal if it is missing, and locks it.
func (f *Files) openJournal() (err error) {
	for range maxTries { // a concurrent Close may remove the folder
		if err = f.lockJournal(); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, rootfs.ErrLocked) {
		return fmt.Errorf("another process uses it: %w", err)
	}
	if err != nil {
		return fmt.Errorf("the journal %s: %w", journalFolder, err)
	}
	if f.journal, err = f.disk.Lstat(journalFolder); err != nil {
		f.lock.Close()
		return fmt.Errorf("the journal %s: %w", journalFolder, err)
	}
	return nil
}

func (f *Files) lockJournal() error {
	if err := f.disk.Mkdir(journalFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := f.disk.Lstat(journalFolder)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a folder")
	}
	f.lock, err = f.disk.Lock(lockName)
	return err
}

// Close waits for running operations and unlocks the root. Later operations fail. It removes the journal if it is empty
// and the system can remove a locked file. Close may be called more than once.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if !f.unsettled && f.disk.Remove(lockName) == nil {
		_ = f.disk.Remove(journalFolder) // foreign files in it stay
	}
	return f.lock.Close()
}

// Functions returns the functions list, get, put, delete, roundtrip_start, roundtrip_preview and roundtrip_commit for a
// namespace.
func (f *Files) Functions() []*registry.Function {
	overwrites, again := registry.Destructive(true), registry.Idempotent(true)
	return []*registry.Function{
		registry.Func("list", "List files and folders, sorted by path.", f.list, registry.ReadOnly, again),
		registry.Func("get", "Get a file: its text, or base64 if it is not text, and its SHA-256.", f.get, registry.ReadOnly, again),
		registry.Func("put", "Write one file, in place of what is there.", f.put, overwrites, again),
		registry.Func("delete", "Delete one file. Folders are not deleted.", f.delete, overwrites, again),
		registry.Func("roundtrip_start", "Begin to edit several files at once: get their contents, hashes and a manifestId for preview and commit.", f.start),
		registry.Func("roundtrip_preview", "Show what a commit would do, as diffs, and what conflicts. Writes nothing.", f.preview, registry.ReadOnly, again),
		registry.Func("roundtrip_commit", "Write all changes at once, or none if a file has changed since roundtrip_start.", f.commit, overwrites),
	}
}

// reading begins an operation that changes nothing. The caller ends it with f.mu.RUnlock.
func (f *Files) reading() error {
	f.mu.RLock()
	if f.unsettled && !f.closed {
		f.mu.RUnlock()
		if err := f.writing(); err != nil {
			return err
		}
		f.mu.Unlock()
		f.mu.RLock()
	}
	if err := f.unusable(); err != nil {
		f.mu.RUnlock()
		return err
	}
	return nil
}

// writing begins an operation that changes files. The caller ends it with f.mu.Unlock.
func (f *Files) writing() (err error) {
	f.mu.Lock()
	usable := false
	defer func() { // even if the logger panics
		if !usable {
			f.mu.Unlock()
		}
	}()
	if f.unsettled && !f.closed {
		if err := f.settle(); err != nil {
			f.log.Error("the files of a commit that failed cannot be put back", "error", err)
		}
	}
	err = f.unusable()
	usable = err == nil
	return err
}

func (f *Files) unusable() error {
	switch {
	case f.closed:
		return &registry.Error{Kind: registry.Unavailable, NotRun: true, Message: "The files are closed.", Err: fs.ErrClosed}
	case f.unsettled:
		return &registry.Error{Kind: registry.Unavailable, NotRun: true,
			Message: "An earlier commit failed, and its files could not be put back yet.",
			Hint:    "Nothing is read or written until that has worked: try again later, or tell whoever runs the server."}
	}
	return nil
}
