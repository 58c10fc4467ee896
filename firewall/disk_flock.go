//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package firewall

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// openFlags let no FIFO make an open wait.
const openFlags = syscall.O_NONBLOCK

// lockFile locks the directory until the file is closed, or the process ends.
func lockFile(root *os.Root) (io.Closer, error) {
	info, err := root.Lstat(lockName)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", lockName)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := root.OpenFile(lockName, os.O_RDWR|os.O_CREATE|openFlags, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return flock{file}, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("another store uses the directory: %w", err)
	}
	return nil, err
}

// A flock is a locked file. Close unlocks it first: a process that is about to be
// started has a copy of the file for a moment, which would hold the lock.
type flock struct{ *os.File }

func (f flock) Close() error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.File.Close())
}

// syncDirectory makes the names in a directory last. Some file systems have
// nothing to do for it, and say that it is not valid.
func syncDirectory(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
