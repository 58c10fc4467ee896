//go:build unix || windows

package disk_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

// TestZ2FullDisk holds that on a full disk artifacts beyond their promise give way, and
// that the refusal says when there will be such.
func TestZ2FullDisk(t *testing.T) {
	c, dir, on := newClock(), t.TempDir(), false
	space := func(op, _ string) error {
		if on && op == "allocate" && len(names(t, dir, "blob-")) >= 4 {
			return syscall.ENOSPC
		}
		return nil
	}
	d := openFaulty(t, dir, &disk.Options{Promise: time.Minute, MaxPerOwner: 5, Now: c.Now}, space)
	data := strings.Repeat("d", 100)
	old := []firewall.Ref{keep(t, d, "ann", data+"1")[0], keep(t, d, "ann", data+"2")[0]}
	theirs := []firewall.Ref{keep(t, d, "bob", data+"3")[0]}
	c.advance(30 * time.Second)
	young := keep(t, d, "ann", data+"4")[0]
	on = true
	wantFull(t, d, "cat", 100, "disk", 30*time.Second)
	wantFull(t, d, "cat", 1000, "disk", 0) // more than all that is kept
	wantKept(t, d, "ann", append(old, young)...)
	c.advance(30 * time.Second)
	reserve(t, d, "cat", 100).Release()
	wantNone(t, d, "ann", old[0].Handle) // ann has most
	wantKept(t, d, "ann", old[1], young)
	wantKept(t, d, "bob", theirs...)
	if n := len(names(t, dir, "blob-")); n != 3 {
		t.Errorf("%d artifacts", n)
	}
	on = false
	keep(t, d, "cat", "later")
}

// TestZ2DiskFullAtKeep holds that a disk that is full when the result arrives is told
// as such, and takes nothing away.
func TestZ2DiskFullAtKeep(t *testing.T) {
	for _, op := range []string{"write", "sync", "rename"} {
		on, dir := false, t.TempDir()
		d := openFaulty(t, dir, nil, durabletest.Failing(&on, syscall.ENOSPC, op))
		h := keep(t, d, "ann", "here")[0]
		r := reserve(t, d, "ann", 10)
		on = true
		_, err := r.Keep(t.Context(), parts("more", "and more"))
		var full *firewall.FullError
		if !errors.As(err, &full) || full.Limit != "disk" {
			t.Errorf("%s: %v", op, err)
		}
		on = false
		r.Release()
		wantKept(t, d, "ann", h)
		if n := wantTidy(t, dir); n != 1 {
			t.Errorf("%d artifacts", n)
		}
	}
}

// TestZ2PromisesSurvive holds that promises, ages and payers are the same in a store
// that is opened again.
func TestZ2PromisesSurvive(t *testing.T) {
	c, dir := newClock(), t.TempDir()
	o := &disk.Options{MaxPerOwner: 2, Promise: time.Minute, Now: c.Now}
	d := openDisk(t, dir, o)
	var refs []firewall.Ref
	for _, data := range []string{"one", "two"} {
		r, err := d.Reserve(t.Context(), firewall.Owner{ID: "ann", Payer: "home"}, 10)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := r.Keep(t.Context(), parts(data))
		if err != nil {
			t.Fatal(err)
		}
		r.Release()
		refs = append(refs, kept...)
		c.advance(10 * time.Second)
	}
	closeDisk(t, d)
	d = openDisk(t, dir, o)
	wantFull(t, d, "home", 0, "artifacts per owner", 40*time.Second)
	reserve(t, d, "ann", 0).Release()
	wantKept(t, d, "ann", refs...)
	c.advance(40 * time.Second)
	reserve(t, d, "home", 0).Release()
	wantNone(t, d, "ann", refs[0].Handle)
	closeDisk(t, d)
	d = openDisk(t, dir, &disk.Options{MaxPerOwner: 1, Promise: time.Minute, Now: c.Now})
	wantNone(t, d, "ann", refs[0].Handle)
	wantKept(t, d, "ann", refs[1])
}

// TestZ2RecordsWithoutPayer holds that the owner pays for a record that names no payer.
func TestZ2RecordsWithoutPayer(t *testing.T) {
	c, dir := newClock(), t.TempDir()
	o := &disk.Options{MaxPerOwner: 1, Now: c.Now}
	d := openDisk(t, dir, o)
	h := keep(t, d, "ann", "one")[0]
	closeDisk(t, d)
	name := filepath.Join(dir, names(t, dir, "record-")[0])
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	delete(record, "payer")
	if data, err = json.Marshal(record); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if err := errors.Join(os.Remove(name), os.WriteFile(filepath.Join(dir, "record-"+hex.EncodeToString(sum[:])), data, 0o600)); err != nil {
		t.Fatal(err)
	}
	d = openDisk(t, dir, o)
	wantKept(t, d, "ann", h)
	wantFull(t, d, "ann", 0, "artifacts per owner", 5*time.Minute)
	keep(t, d, "bob", "two")
}
