//go:build unix || windows

package durabletest

import (
	"syscall"
	"testing"
)

// Causes are errors with which steps may fail.
var Causes = map[string]error{"full": syscall.ENOSPC, "read only": syscall.EROFS, "broken": syscall.EIO}

// EachFault tries [Causes] with faults from each step n in turn, until there is no such
// step; fails says whether a step does. Of each cause at least so many tries must fail, as
// try reports.
func EachFault(t *testing.T, fails func(n, step int, op string) bool, least int, try func(t *testing.T, cause error, fault Fault) (failed bool)) {
	for name, cause := range Causes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := 0
			for n, more := 1, true; more; n++ { // the last try has no step n
				steps := 0
				if try(t, cause, func(op, _ string) error {
					if steps++; fails(n, steps, op) {
						return cause
					}
					return nil
				}) {
					failed++
				}
				if t.Failed() {
					t.Fatalf("at step %d", n)
				}
				more = steps >= n
			}
			if failed < least {
				t.Errorf("%d steps make it fail, want %d", failed, least)
			}
		})
	}
}
