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

// OpenFlags keep the opening of a FIFO from blocking.
const OpenFlags = syscall.O_NONBLOCK

// Lock locks a file, and creates it if needed. The lock lasts until Close or the end of the process. The holder may
// remove the file first. The error is [ErrLocked] if it is locked already, by this or another process.
func Lock(root *os.Root, name string) (io.Closer, error) {
	return lockAs(root, name, syscall.LOCK_EX)
}

// LockShared works like [Lock], but the file may have other shared locks.
func LockShared(root *os.Root, name string) (io.Closer, error) {
	return lockAs(root, name, syscall.LOCK_SH)
}

func lockAs(root *os.Root, name string, how int) (io.Closer, error) {
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
	if err = lock(root, name, file, how); err != nil {
		file.Close()
		return nil, err
	}
	return flock{file}, nil
}

func lock(root *os.Root, name string, file *os.File, how int) error {
	err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	if err != nil {
		return err
	}
	// An earlier holder may have removed the file since it was opened.
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	if named, err := root.Lstat(name); err != nil || !os.SameFile(opened, named) {
		return ErrLocked
	}
	return nil
}

// A flock is a locked file. Close unlocks explicitly: a process that is being started briefly has a copy of the
// file, which would hold the lock.
type flock struct{ *os.File }

func (f flock) Close() error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.File.Close())
}

// SyncFolder makes the entries of a folder durable. Some file systems do not need it, and report it as invalid.
func SyncFolder(root *os.Root, name string) error {
	dir, err := root.OpenFile(name, os.O_RDONLY|OpenFlags, 0) // the folder may have become a FIFO
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// Listed returns a second descriptor of a folder that was opened in an [os.Root]. It lists entries with their types,
// without asking for the information of each one. [fs.DirEntry.Info] must not be called.
func Listed(dir *os.File) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(dir.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), dir.Name()), nil
}

// IsFull reports whether an error means that the disk is full.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
