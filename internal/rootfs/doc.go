// Package rootfs has what a folder that is open as an [os.Root] needs of the
// operating system to be kept safe from crashes and from other processes.
//
//	lock, err := rootfs.Lock(root, "lock") // until lock.Close, or the end of the process
//
// # Limits
//
// Windows does not let a folder be flushed: [SyncFolder] does nothing there. On
// systems that have no lock which ends with its process, Lock fails.
package rootfs

import "errors"

// ErrLocked is the error of [Lock] for a file that is locked.
var ErrLocked = errors.New("the file is locked")
