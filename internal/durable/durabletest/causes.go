//go:build unix || windows

package durabletest

import (
	"syscall"
	"testing"
)

// Causes are why steps may fail.
var Causes = map[string]error{"full": syscall.ENOSPC, "read only": syscall.EROFS, "broken": syscall.EIO}

// EachFault tries [Causes] with a fault at each step in turn, until there is no such
// step. Of each cause at least so many tries must fail, as try reports.
func EachFault(t *testing.T, faultAt func(n int, cause error) (Fault, func() int), least int, try func(t *testing.T, cause error, fault Fault) (failed bool)) {
	for name, cause := range Causes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, failed := 1, 0; ; n++ {
				fault, steps := faultAt(n, cause)
				if try(t, cause, fault) {
					failed++
				}
				if t.Failed() {
					t.Fatalf("at step %d", n)
				}
				if steps() < n {
					if failed < least {
						t.Errorf("%d of %d steps make it fail", failed, n-1)
					}
					return
				}
			}
		})
	}
}
