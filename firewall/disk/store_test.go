package disk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
)

func names(t testing.TB, dir, prefix string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			all = append(all, e.Name())
		}
	}
	return all
}

func closeDisk(t testing.TB, d *disk.Store) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestW32DiskIsThereAgain(t *testing.T) {
	c, dir := newClock(), filepath.Join(t.TempDir(), "a", "b")
	o := &disk.Options{MaxPerOwner: 3, MaxAge: time.Minute, Now: c.Now}
	d := openDisk(t, dir, o)
	r := reserve(t, d, "ann\xff", 0)
	in := []firewall.Part{{Data: []byte("\x00\xff"), MediaType: "image/png", Label: "a \"b\" \u2028 <c>"}, {}}
	refs, err := r.Keep(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	before, err := d.Open(t.Context(), "ann\xff", refs[0].Handle)
	if err != nil {
		t.Fatal(err)
	}
	c.advance(time.Second)
	closeDisk(t, d)

	d = openDisk(t, dir, o)
	after, err := d.Open(t.Context(), "ann\xff", refs[0].Handle)
	if err != nil {
		t.Fatal(err)
	}
	if after.Ref != before.Ref || !bytes.Equal(after.Data, before.Data) ||
		!after.Created.Equal(before.Created) || !after.Expires.Equal(before.Expires) {
		t.Errorf("%+v, was %+v", after, before)
	}
	wantData(t, d, "ann\xff", refs[1].Handle, "")
	wantNone(t, d, "ann", refs[0].Handle)
	keep(t, d, "ann\xff", "third")
	wantFull(t, d, "ann\xff", 0, "artifacts per owner", 59*time.Second)
	c.advance(59 * time.Second)
	wantNone(t, d, "ann\xff", refs[0].Handle)
}

func TestW32DiskDropsWhatHasExpiredWhileClosed(t *testing.T) {
	c, dir := newClock(), t.TempDir()
	o := &disk.Options{MaxAge: time.Minute, Now: c.Now}
	d := openDisk(t, dir, o)
	h := keep(t, d, "ann", "old", "common")[0].Handle
	c.advance(30 * time.Second)
	young := keep(t, d, "ann", "young", "common")[1].Handle
	closeDisk(t, d)
	c.advance(30 * time.Second)
	d = openDisk(t, dir, o)
	wantNone(t, d, "ann", h)
	wantData(t, d, "ann", young, "common")
	if n := wantTidy(t, dir); n != 2 {
		t.Errorf("%d artifacts in the directory, want 2", n)
	}
}

// A clock that was wrong when something was kept makes nothing stay for ever, nor
// does an age that was longer.
func TestW32DiskAgeIsBounded(t *testing.T) {
	c, dir := newClock(), t.TempDir()
	d := openDisk(t, dir, &disk.Options{MaxAge: 10 * time.Hour, Now: c.Now})
	h := keep(t, d, "ann", "x")[0].Handle
	closeDisk(t, d)
	c.advance(-1000 * time.Hour)
	d = openDisk(t, dir, &disk.Options{MaxAge: time.Hour, Now: c.Now})
	wantData(t, d, "ann", h, "x")
	c.advance(time.Hour)
	wantNone(t, d, "ann", h)
}

func TestW32DiskIsForOneStoreAtATime(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir, nil)
	if _, err := disk.Open(dir, nil); err == nil || !strings.Contains(err.Error(), "another store uses the directory") {
		t.Fatalf("the second Open: %v", err)
	}
	h := keep(t, d, "ann", "x")[0].Handle
	closeDisk(t, d)
	wantData(t, openDisk(t, dir, nil), "ann", h, "x")
}

func TestW32DiskAfterClose(t *testing.T) {
	d := openDisk(t, t.TempDir(), nil)
	r := reserve(t, d, "ann", 10)
	h := keep(t, d, "ann", "x")[0].Handle
	closeDisk(t, d)
	closeDisk(t, d)
	if _, err := d.Reserve(t.Context(), firewall.Owner{ID: "ann"}, 1); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Reserve: %v", err)
	}
	if _, err := d.Open(t.Context(), "ann", h); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Open: %v", err)
	}
	if _, err := r.Keep(t.Context(), parts("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Keep: %v", err)
	}
	r.Release()
}

func TestW32DiskTellsNoHandles(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir, nil)
	reserve(t, d, "the owner", 10)
	h := keep(t, d, "the owner", "content", "content", "other")[0].Handle
	secret := strings.TrimPrefix(h, "art-")
	for _, name := range names(t, dir, "") {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if text := name + string(data); strings.Contains(text, secret) || strings.Contains(text, "the owner") {
			t.Errorf("%s: %s", name, data)
		}
	}
	if n := len(names(t, dir, "blob-")); n != 2 {
		t.Errorf("%d files for 2 contents", n)
	}
}

func TestW32DiskKeepsEqualContentsOnce(t *testing.T) {
	c, dir := newClock(), t.TempDir()
	d := openDisk(t, dir, &disk.Options{MaxAge: time.Minute, Now: c.Now})
	keep(t, d, "ann", "same", "same")
	c.advance(time.Second)
	h := keep(t, d, "bob", "same")[0].Handle
	if n := len(names(t, dir, "blob-")); n != 1 {
		t.Errorf("%d files for one content", n)
	}
	c.advance(59 * time.Second)
	wantData(t, d, "bob", h, "same")
	c.advance(time.Second)
	wantNone(t, d, "bob", h)
	if left := names(t, dir, ""); len(left) != 1 {
		t.Errorf("%v left", left)
	}
}

func TestW32DiskDirectoryVanishes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	d := openDisk(t, dir, nil)
	h := keep(t, d, "ann", "x")[0].Handle
	r := reserve(t, d, "ann", 10)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Reserve(t.Context(), firewall.Owner{ID: "ann"}, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Reserve: %v", err)
	}
	if _, err := r.Keep(t.Context(), parts("y")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Keep: %v", err)
	}
	r.Release()
	wantNone(t, d, "ann", h)
	closeDisk(t, d)
	keep(t, openDisk(t, dir, nil), "ann", "x")
}

func TestW32DiskPlacesThatAreNoDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below"), "", "\x00"} {
		if d, err := disk.Open(path, nil); err == nil {
			d.Close()
			t.Errorf("Open(%q) has opened", path)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Open(dir, nil); err == nil {
		t.Error("a directory is locked")
	}
}

func TestW32DiskManyAreSweptInOrder(t *testing.T) {
	c, dir := newClock(), t.TempDir()
	o := &disk.Options{MaxPerOwner: 50, MaxAge: time.Minute, Now: c.Now}
	d := openDisk(t, dir, o)
	var handles []string
	for i := range 50 {
		handles = append(handles, keep(t, d, "ann", strings.Repeat("x", i))[0].Handle)
		c.advance(time.Second)
	}
	closeDisk(t, d)
	d = openDisk(t, dir, o)
	for i := range 50 {
		c.advance(10*time.Second + time.Duration(min(i, 1))*-9*time.Second)
		wantNone(t, d, "ann", handles[i])
		if i < 49 {
			wantData(t, d, "ann", handles[i+1], strings.Repeat("x", i+1))
		}
	}
}

func TestW32DiskDescriptionsAreBounded(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir, &disk.Options{MaxArtifacts: 2})
	r := reserve(t, d, "ann", 10)
	long := firewall.Part{Data: []byte("x"), Label: strings.Repeat("l", 9<<20)}
	if _, err := r.Keep(t.Context(), append(parts("y"), long)); err == nil {
		t.Fatal("a label of 9 MiB is kept")
	}
	long.Label = long.Label[:4<<20]
	refs, err := r.Keep(t.Context(), []firewall.Part{long})
	if err != nil {
		t.Fatal(err)
	}
	closeDisk(t, d)
	d = openDisk(t, dir, nil)
	wantData(t, d, "ann", refs[0].Handle, "x")
	if n := wantTidy(t, dir); n != 1 {
		t.Errorf("%d artifacts", n)
	}
}

func ExampleOpen() {
	dir, _ := os.MkdirTemp("", "artifacts")
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := disk.Open(dir, &disk.Options{MaxAge: 24 * time.Hour})
	if err != nil {
		panic(err)
	}
	room, err := store.Reserve(ctx, firewall.Owner{ID: "ann"}, 1000) // before the tool runs
	if err != nil {
		panic(err)
	}
	refs, err := room.Keep(ctx, []firewall.Part{{Data: []byte("hello, disk!"), MediaType: "text/plain"}})
	if err != nil {
		panic(err)
	}
	room.Release()
	store.Close()

	store, err = disk.Open(dir, nil) // another process, another day
	if err != nil {
		panic(err)
	}
	defer store.Close()
	a, err := store.Open(ctx, "ann", refs[0].Handle)
	fmt.Printf("%s %v\n", a.Data, err)
	_, err = store.Open(ctx, "bob", refs[0].Handle)
	fmt.Println("somebody else:", err)
	// Output:
	// hello, disk! <nil>
	// somebody else: no such artifact
}
