//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package rootfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// OpenFlags are for systems where an open may wait.
const OpenFlags = 0

// Lock fails: without a lock that ends with its process, two processes might use
// a folder, or none after a crash.
func Lock(*os.Root, string) (io.Closer, error) {
	return nil, fmt.Errorf("locking files on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// SyncFolder does nothing.
func SyncFolder(*os.Root, string) error { return nil }

// IsFull does not know.
func IsFull(error) bool { return false }
