//go:build unix && !solaris

package disk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/firewall/disk"
)

// fifo makes a file that makes who opens it wait.
func fifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestW32DiskFilesAreForTheUserOnly(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "a", "b")
	d := openDisk(t, dir, nil)
	reserve(t, d, "ann", 10)
	keep(t, d, "ann", "x", "y")
	err := filepath.WalkDir(filepath.Dir(dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(names(t, dir, "")); n != 5 { // the lock, a reservation, two blobs and a record
		t.Errorf("%d files", n)
	}
}

func TestW32DiskDirectoryIsAFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	fifo(t, path)
	if _, err := disk.Open(path, nil); err == nil {
		t.Error("a FIFO is opened")
	}
}

// A reservation takes the room of the disk where the system can, so that
// a result finds it.
func TestW32DiskIsReservedToo(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir, nil)
	r := reserve(t, d, "ann", 1<<20)
	temps := names(t, dir, "temp-")
	if len(temps) != 1 {
		t.Fatalf("%v", temps)
	}
	if _, err := r.Keep(t.Context(), parts("small")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "blob-"+sumText([]byte("small"))))
	if err != nil || info.Size() != 5 {
		t.Errorf("%v, %v", info, err)
	}
	if temps := names(t, dir, "temp-"); len(temps) > 0 {
		t.Errorf("%v", temps)
	}
}
