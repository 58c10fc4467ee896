package rootfs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// OpenFlags are none here: an open may block.
const OpenFlags = 0

// Errors of Windows that package syscall does not name.
const (
	errorSharingViolation = syscall.Errno(32)
	errorHandleDiskFull   = syscall.Errno(39)
	errorDiskFull         = syscall.Errno(112)
)

// Lock locks a file, and creates it if needed, by opening it without sharing. The lock lasts until Close or the end
// of the process. The error is [ErrLocked] if another has it open.
func Lock(root *os.Root, name string) (io.Closer, error) {
	return lockAs(root, name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0)
}

// LockShared works like [Lock], but the file may have other shared locks: it is opened for reading, shared with other
// readers.
func LockShared(root *os.Root, name string) (io.Closer, error) {
	return lockAs(root, name, syscall.GENERIC_READ, syscall.FILE_SHARE_READ)
}

func lockAs(root *os.Root, name string, access, share uint32) (io.Closer, error) {
	path := filepath.Join(root.Name(), name)
	p, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(p, access, share, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL|syscall.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// SyncFolder does nothing: Windows cannot sync a folder.
func SyncFolder(*os.Root, string) error { return nil }

// Listed returns dir, which is listed as fast.
func Listed(dir *os.File) (*os.File, error) { return dir, nil }

// IsFull reports whether an error means that the disk is full.
func IsFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}
