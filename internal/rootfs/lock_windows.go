package rootfs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// OpenFlags are for systems where an open may wait.
const OpenFlags = 0

// Errors of Windows that package syscall does not name.
const (
	errorSharingViolation = syscall.Errno(32)
	errorHandleDiskFull   = syscall.Errno(39)
	errorDiskFull         = syscall.Errno(112)
)

// Lock locks a file, which it makes if it is not there, until it is closed or the
// process ends: it opens it so that nobody else may at the same time. The error is
// [ErrLocked] if somebody has.
func Lock(root *os.Root, name string) (io.Closer, error) {
	path := filepath.Join(root.Name(), name)
	p, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(p, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL|syscall.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// SyncFolder does nothing: there is no way to flush a folder.
func SyncFolder(*os.Root, string) error { return nil }

// IsFull reports whether an error says that there is no space left.
func IsFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}
