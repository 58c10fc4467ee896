//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package rootfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// OpenFlags let no FIFO make an open wait.
const OpenFlags = syscall.O_NONBLOCK

// Lock locks a file, which it makes if it is not there, until it is closed or the
// process ends. The holder may remove the file before. The error is [ErrLocked] if
// it is locked already, here or by another process.
func Lock(root *os.Root, name string) (io.Closer, error) {
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|OpenFlags, 0o600)
	if err != nil {
		return nil, err
	}
	if err = lock(root, name, file); err != nil {
		file.Close()
		return nil, err
	}
	return flock{file}, nil
}

func lock(root *os.Root, name string, file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	if err != nil {
		return err
	}
	// Whoever held it may have removed it since it was opened.
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	if named, err := root.Lstat(name); err != nil || !os.SameFile(opened, named) {
		return ErrLocked
	}
	return nil
}

// A flock is a locked file. Close unlocks it first: a process that is about to be
// started has a copy of the file for a moment, which would hold the lock.
type flock struct{ *os.File }

func (f flock) Close() error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.File.Close())
}

// SyncFolder makes the names in a folder last. Some file systems have nothing to
// do for it, and say that it is not valid.
func SyncFolder(root *os.Root, name string) error {
	dir, err := root.OpenFile(name, os.O_RDONLY|OpenFlags, 0) // it may have become a FIFO
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// IsFull reports whether an error says that there is no space left.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
