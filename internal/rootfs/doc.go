// Package rootfs adds operating system support to a folder opened as an [os.Root]: locking against other processes,
// and syncing against crashes. It is used by internal/durable, firewall/disk and cash/facade/files.
//
//	lock, err := rootfs.Lock(root, "lock") // until lock.Close, or the end of the process
//
// # Limits
//
// Windows cannot sync a folder: [SyncFolder] does nothing there. Lock fails on systems without locks that end with
// their process.
package rootfs

import "errors"

// ErrLocked is the error of [Lock] if the file is locked already.
var ErrLocked = errors.New("the file is locked")
