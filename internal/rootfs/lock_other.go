//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package rootfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// OpenFlags are none here: an open may block.
const OpenFlags = 0

// Lock fails. Without a lock that ends with its process, two processes could share a folder, or a crash could lock
// it for ever.
func Lock(*os.Root, string) (io.Closer, error) {
	return nil, fmt.Errorf("locking files on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// LockShared fails like [Lock].
func LockShared(root *os.Root, name string) (io.Closer, error) { return Lock(root, name) }

// SyncFolder does nothing.
func SyncFolder(*os.Root, string) error { return nil }

// Listed returns dir, which is listed as fast.
func Listed(dir *os.File) (*os.File, error) { return dir, nil }

// IsFull reports false: the error is unknown here.
func IsFull(error) bool { return false }
