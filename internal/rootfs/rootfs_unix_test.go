//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package rootfs_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// What another program has put there makes nobody wait, and leads nowhere else.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	root := open(t, dir)
	for name, err := range map[string]error{
		"fifo": syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600),
		"out":  os.Symlink(t.TempDir(), filepath.Join(dir, "out")),
	} {
		if err != nil {
			t.Fatal(err)
		}
		if lock, err := rootfs.Lock(root, name); err == nil {
			lock.Close()
			t.Errorf("%s is locked", name)
		}
	}
	if err := rootfs.SyncFolder(root, "fifo"); err != nil { // there is nothing to flush
		t.Error(err)
	}
	if err := rootfs.SyncFolder(root, "out"); err == nil {
		t.Error("a folder outside is flushed")
	}
	if err := rootfs.SyncFolder(root, "none"); !os.IsNotExist(err) {
		t.Errorf("no folder: %v", err)
	}
}

// The holder may remove the file: whoever comes next makes another one, which is
// locked on its own.
func TestLockOfARemovedFile(t *testing.T) {
	root := open(t, t.TempDir())
	first, err := rootfs.Lock(root, "lock")
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Remove("lock"); err != nil {
		t.Fatal(err)
	}
	second, err := rootfs.Lock(root, "lock")
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if _, err := rootfs.Lock(root, "lock"); err == nil {
		t.Error("the end of the first lock ends the second")
	}
}

func TestIsFull(t *testing.T) {
	full := &os.PathError{Op: "write", Err: syscall.ENOSPC}
	if !rootfs.IsFull(full) || !rootfs.IsFull(syscall.EDQUOT) || rootfs.IsFull(syscall.EIO) || rootfs.IsFull(nil) {
		t.Error("what is full is not told from what is not")
	}
}
