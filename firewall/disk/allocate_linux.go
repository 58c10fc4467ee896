package disk

import (
	"os"
	"syscall"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// allocate takes space for a file, where the file system can. It fails only if
// there is not enough.
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
