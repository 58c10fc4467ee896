package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/internal/rootfs"
	"github.com/cash-mcp/go-sdk/registry"
)

// Processes that use a folder lock it for each operation: shared to read, exclusively to change. A process that ends
// loses its locks. Who waits to change the folder holds the turn, so that readers cannot keep it waiting.
const (
	lockName = journalFolder + "/lock"
	turnName = journalFolder + "/turn"
)

// maxWait bounds the wait for a lock.
const maxWait = 10 * time.Second

// locks are the locks of one operation.
type locks []io.Closer

// Close unlocks.
func (l locks) Close() {
	for _, lock := range l {
		_ = lock.Close() // closing a file unlocks it, whatever the error
	}
}

// share locks the folder for reading.
func (f *Files) share(ctx context.Context) (locks, error) {
	turn, err := f.wait(ctx, turnName, f.disk.LockShared)
	if err != nil {
		return nil, err
	}
	defer turn.Close()
	lock, err := f.wait(ctx, lockName, f.disk.LockShared)
	if err != nil {
		return nil, err
	}
	return locks{lock}, nil
}

// exclude locks the folder for changes.
func (f *Files) exclude(ctx context.Context) (locks, error) {
	turn, err := f.wait(ctx, turnName, f.disk.Lock)
	if err != nil {
		return nil, err
	}
	lock, err := f.wait(ctx, lockName, f.disk.Lock)
	if err != nil {
		turn.Close()
		return nil, err
	}
	return locks{lock, turn}, nil
}

// wait locks a file of the journal as soon as nobody else has it locked.
func (f *Files) wait(ctx context.Context, name string, lock func(string) (io.Closer, error)) (io.Closer, error) {
	held, err := durable.Await(ctx, maxWait, func() (io.Closer, error) {
		held, err := lock(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return held, err
		}
		if err := f.makeJournal(); err != nil { // nobody has made it, or Close has just removed it
			return nil, err
		}
		return nil, rootfs.ErrLocked // again
	})
	switch {
	case errors.Is(err, rootfs.ErrLocked):
		return nil, &registry.Error{Kind: registry.Unavailable, NotRun: true,
			Message: "Other programs have kept the files locked.", Hint: "Try again later."}
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("the journal %s: %w", journalFolder, err)
	}
	return held, err
}

func (f *Files) makeJournal() error {
	if err := f.disk.Mkdir(journalFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := f.disk.Lstat(journalFolder)
	if err == nil && !info.IsDir() {
		return errors.New("it is not a folder")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is gone again
	}
	return err
}

// removeJournal removes the journal, unless another process uses it or it is needed. Foreign files in it stay.
func (f *Files) removeJournal() {
	turn, err := f.disk.Lock(turnName)
	if err != nil {
		return
	}
	defer turn.Close()
	lock, err := f.disk.Lock(lockName)
	if err != nil {
		return
	}
	defer lock.Close()
	if f.disk.Remove(lockName) == nil && f.disk.Remove(turnName) == nil {
		_ = f.disk.Remove(journalFolder)
	}
}

// reading begins an operation that changes nothing. The caller ends it with end.
func (f *Files) reading(ctx context.Context) (end func(), err error) {
	for range maxTries {
		end, left, err := f.look(ctx)
		if err != nil || !left {
			return end, err
		}
		if end, err = f.writing(ctx); err != nil { // puts back what is left of a commit
			return nil, err
		}
		end()
	}
	return nil, unsettled()
}

// look begins to read, unless something is left of a commit.
func (f *Files) look(ctx context.Context) (end func(), left bool, err error) {
	f.mu.RLock()
	var held locks
	end = func() { held.Close(); f.mu.RUnlock() }
	if f.closed {
		err = closed()
	} else if held, err = f.share(ctx); err != nil {
		err = journalError(err)
	} else if left, err = f.interrupted(recordName); err != nil {
		err = ioError("Reading", journalFolder, err)
	}
	if err != nil || left {
		end()
		return nil, left, err
	}
	return end, false, nil
}

// writing begins an operation that changes files. The caller ends it with end.
func (f *Files) writing(ctx context.Context) (end func(), err error) {
	f.mu.Lock()
	var held locks
	unlock := func() { held.Close(); f.mu.Unlock() }
	usable := false
	defer func() { // even if the logger panics
		if !usable {
			unlock()
		}
	}()
	if f.closed {
		return nil, closed()
	}
	if held, err = f.exclude(ctx); err != nil {
		return nil, journalError(err)
	}
	left, err := f.interrupted(recordName, doneName)
	if err != nil {
		return nil, ioError("Reading", journalFolder, err)
	}
	if left {
		if err := f.settle(); err != nil {
			f.log.Error("the files of a commit that failed cannot be put back", "error", err)
			return nil, unsettled()
		}
	}
	usable = true
	return unlock, nil
}

// interrupted reports whether files of the journal are left of a commit, of this process or of one that has ended. The
// caller has locked the folder.
func (f *Files) interrupted(names ...string) (bool, error) {
	if f.unsettled {
		return true, nil
	}
	for _, name := range names {
		if left, err := f.exists(name); left || err != nil {
			return left, err
		}
	}
	return false, nil
}

func journalError(err error) error {
	if e := (*registry.Error)(nil); errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ioError("Locking", journalFolder, err)
}

func closed() error {
	return &registry.Error{Kind: registry.Unavailable, NotRun: true, Message: "The files are closed.", Err: fs.ErrClosed}
}

func unsettled() error {
	return &registry.Error{Kind: registry.Unavailable, NotRun: true,
		Message: "An earlier commit failed, and its files could not be put back yet.",
		Hint:    "Nothing is read or written until that has worked: try again later, or tell whoever runs the server."}
}
