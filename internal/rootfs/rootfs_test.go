package rootfs_test

import (
	"errors"
	"io"
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

// Shared locks go together, and with no other lock.
func TestLockShared(t *testing.T) {
	dir := t.TempDir()
	root, other := open(t, dir), open(t, dir)
	for range 2 {
		var shared []io.Closer
		for _, r := range []*os.Root{root, other} {
			lock, err := rootfs.LockShared(r, "lock")
			if err != nil {
				t.Fatal(err)
			}
			shared = append(shared, lock)
			if _, err := rootfs.Lock(root, "lock"); !errors.Is(err, rootfs.ErrLocked) {
				t.Errorf("a lock beside a shared one: %v", err)
			}
		}
		for _, lock := range shared {
			if err := lock.Close(); err != nil {
				t.Error(err)
			}
		}
		lock, err := rootfs.Lock(root, "lock")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rootfs.LockShared(other, "lock"); !errors.Is(err, rootfs.ErrLocked) {
			t.Errorf("a shared lock beside another: %v", err)
		}
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSyncFolder(t *testing.T) {
	root := open(t, t.TempDir())
	if err := rootfs.SyncFolder(root, "."); err != nil {
		t.Error(err)
	}
}
