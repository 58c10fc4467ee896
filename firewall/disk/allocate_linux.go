package disk

import (
	"os"
	"syscall"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// allocate reserves size bytes of disk space for a file, if the file system supports it. It fails only if the disk is
// full.
func allocate(file *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	err := syscall.Fallocate(int(file.Fd()), 0, 0, size)
	if err != nil && (rootfs.IsFull(err) || err == syscall.EFBIG) {
		return err
	}
	return nil
}
