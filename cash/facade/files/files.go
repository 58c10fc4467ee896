package files

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/registry"
)

// Options bound [Files]. Nil means all defaults.
type Options struct {
	// MaxFileBytes bounds a file that is written or read as a whole, and a part of a file that is read. Zero is 4 MiB.
	MaxFileBytes int64
	// MaxFiles bounds the files of a roundtrip. Zero is 100.
	MaxFiles int
	// MaxBytes bounds the total contents of a roundtrip, and a quarter of the changes that are kept for commits. Zero is
	// 16 MiB.
	MaxBytes int64
	// MaxManifests bounds the open roundtrips. One caller may have a quarter of them. At the limit the oldest one ends.
	// Zero is 256.
	MaxManifests int
	// MaxAge is how long a roundtrip stays open. Zero is an hour.
	MaxAge time.Duration
	// Hide has patterns of files and folders that are absent for callers: they are not listed, read or changed. Protect
	// has those that are not changed. The patterns are those of .gitignore files, relative to the root, and ignore case;
	// what is in a folder that matches is hidden or protected too. Nil Hide is .git, empty hides nothing.
	Hide, Protect []string
	// Now is the clock, safe for concurrent use. Nil is time.Now.
	Now func() time.Time
	// Logger receives problems that do not concern callers, such as a journal file that cannot be removed: names and
	// errors, no contents. Nil discards.
	Logger *slog.Logger
}

// Files are the files below a root. They are safe for concurrent use.
type Files struct {
	disk      durable.Folder
	hide      rules
	protect   rules
	manifests *manifests
	lines     *lineIndex
	log       *slog.Logger

	maxFile, maxBytes int64
	maxFiles          int

	// mu is held for writing while files change. Other processes are kept out by locks; see lock.go.
	mu        sync.RWMutex
	closed    bool
	unsettled bool // an interrupted commit is still to be undone
}

// Open opens the files below root. It undoes a commit that was interrupted by a crash. Several processes, and several
// Files, may use a root. The caller closes the Files first, then root.
func Open(root *os.Root, opts *Options) (*Files, error) { return open(root, opts, nil) }

// open is Open with faults, for tests.
func open(root *os.Root, opts *Options, fault func(op, name string) error) (*Files, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Hide == nil {
		o.Hide = []string{".git"}
	}
	f := &Files{
		disk: durable.Folder{Root: root, Fault: fault}, log: o.Logger,
		maxFile: cmp.Or(max(o.MaxFileBytes, 0), 4<<20), maxBytes: cmp.Or(max(o.MaxBytes, 0), 16<<20),
		maxFiles: cmp.Or(max(o.MaxFiles, 0), 100), lines: newLineIndex(),
	}
	f.manifests = newManifests(cmp.Or(max(o.MaxManifests, 0), 256), f.maxBytes, cmp.Or(max(o.MaxAge, 0), time.Hour), o.Now)
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if f.hide, err = newRules(o.Hide); err != nil {
		return nil, fmt.Errorf("opening the files of a folder: Hide: %w", err)
	}
	if f.protect, err = newRules(o.Protect); err != nil {
		return nil, fmt.Errorf("opening the files of a folder: Protect: %w", err)
	}
	locks, err := f.exclude(context.Background())
	if err != nil {
		return nil, fmt.Errorf("opening the files of a folder: %w", err)
	}
	defer locks.Close()
	if err := f.settle(); err != nil {
		return nil, fmt.Errorf("opening the files of a folder: putting back what a commit had begun: %w", err)
	}
	return f, nil
}

// Close waits for running operations. Later operations fail. It removes the journal if it is empty, no other process
// uses it, and the system can remove a locked file. Close may be called more than once.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed && !f.unsettled {
		f.removeJournal()
	}
	f.closed = true
	return nil
}

// Functions returns the functions list, search, get, put, move, delete, roundtrip_start, roundtrip_preview and
// roundtrip_commit for a namespace.
func (f *Files) Functions() []*registry.Function {
	overwrites, again := registry.Destructive(true), registry.Idempotent(true)
	return []*registry.Function{
		registry.Func("list", "List files and folders, sorted by path. If there are more, next is the cursor to go on with.", f.list, registry.ReadOnly, again, registry.TextOnly),
		registry.Func("search", "Find lines of text files by a regular expression or a text. If there is more, next is the cursor to go on with, even without a match so far.", f.search, registry.ReadOnly, again, registry.TextOnly),
		registry.Func("get", "Get a file or a part of it: its text, or base64 if it is not text, and its SHA-256 if it is not too large. If there is more, go on at next_line or next_offset.", f.get, registry.ReadOnly, again, registry.TextOnly),
		registry.Func("put", "Write one file: its content, edits (old is replaced by new; old is there once, or set all) or a unified diff of it.", f.put, overwrites, again, registry.TextOnly),
		registry.Func("move", "Rename a file or a folder. Nothing is overwritten.", f.move, registry.Destructive(false), registry.TextOnly),
		registry.Func("delete", "Delete one file or one empty folder.", f.delete, overwrites, again, registry.TextOnly),
		registry.Func("roundtrip_start", "Begin to edit files: get their contents, hashes and the manifestId for preview and commit. Detail minimal leaves the contents out.", f.start, registry.TextOnly),
		registry.Func("roundtrip_preview", "Show what a commit would do, as diffs, and what conflicts; its previewId then commits just that. Writes nothing.", f.preview, registry.ReadOnly, again, registry.TextOnly),
		registry.Func("roundtrip_commit", "Write all changes, or those of a previewId, at once; none if a file has changed since roundtrip_start.", f.commit, overwrites, registry.TextOnly),
	}
}
