package rootfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

func open(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	root := open(t, dir)
	for range 2 {
		lock, err := rootfs.Lock(root, "lock")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rootfs.Lock(open(t, dir), "lock"); !errors.Is(err, rootfs.ErrLocked) {
			t.Errorf("a second lock: %v", err)
		}
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if lock, err := rootfs.Lock(root, "folder"); err == nil {
		lock.Close()
		t.Error("a folder is locked")
	}
}

func TestSyncFolder(t *testing.T) {
	root := open(t, t.TempDir())
	if err := rootfs.SyncFolder(root, "."); err != nil {
		t.Error(err)
	}
}
