//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package endpoint

import "os"

// divert diverts the variable [os.Stdout] only.
func divert(stdout, aside *os.File) (answers *os.File, undo func(), err error) {
	return swap(stdout, aside)
}
