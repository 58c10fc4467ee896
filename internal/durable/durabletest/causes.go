//go:build unix || windows

package durabletest

import "syscall"

// Causes are errors with which steps may fail.
var Causes = map[string]error{"full": syscall.ENOSPC, "read only": syscall.EROFS, "broken": syscall.EIO}
