package firewall

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// openFlags are for systems where an open may wait.
const openFlags = 0

// Errors of Windows that package syscall does not name.
const (
	errorSharingViolation = syscall.Errno(32)
	errorHandleDiskFull   = syscall.Errno(39)
	errorDiskFull         = syscall.Errno(112)
)

// lockFile locks the directory until the file is closed, or the process ends: it
// opens a file that nobody else may open at the same time.
func lockFile(root *os.Root) (io.Closer, error) {
	path := filepath.Join(root.Name(), lockName)
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL|syscall.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, fmt.Errorf("another store uses the directory: %w", err)
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// syncDirectory does nothing: there is no way to flush a directory.
func syncDirectory(*os.Root) error { return nil }

func isDiskFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}
