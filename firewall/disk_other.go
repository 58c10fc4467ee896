//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package firewall

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

const openFlags = 0

// lockFile fails: without a lock that ends with its process, two processes might
// use a directory, or none after a crash.
func lockFile(*os.Root) (io.Closer, error) {
	return nil, fmt.Errorf("locking files on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func syncDirectory(*os.Root) error { return nil }

func isDiskFull(error) bool { return false }
