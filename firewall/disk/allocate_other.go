//go:build !linux

package disk

import "os"

// allocate does nothing: there is no portable way to reserve disk space.
func allocate(*os.File, int64) error { return nil }
