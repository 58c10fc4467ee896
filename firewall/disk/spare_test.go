//go:build unix || windows

package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

// A call whose result is not kept touches no file, after the first one.
func TestW32DiskReservationsTouchNoFile(t *testing.T) {
	c, dir, steps := newClock(), t.TempDir(), 0
	count := func(op, name string) error { steps++; return nil }
	d := openFaulty(t, dir, &disk.Options{Now: c.Now}, count)
	reserve(t, d, "ann", 1000).Release()
	before := steps
	for range 100 {
		one, two := reserve(t, d, "ann", 10), reserve(t, d, "bob", 1000)
		one.Release()
		two.Release()
	}
	if n := steps - before; n > 2 { // the second spare is made, once
		t.Errorf("%d steps for 200 reservations", n)
	}
	h := keep(t, d, "ann", "kept")[0].Handle
	if n := steps - before; n < 5 {
		t.Errorf("%d steps for what is kept", n)
	}
	wantData(t, d, "ann", h, "kept")
	d.Close()
	if n := wantTidy(t, dir); n != 1 {
		t.Errorf("%d artifacts", n)
	}
}

// What waits for the next calls is bounded, whatever was reserved at a time.
func TestW32DiskSparesAreBounded(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir, nil)
	var rooms []firewall.Reservation
	for i := range 30 {
		size := int64(100)
		if i < 3 {
			size = 5 << 20
		}
		rooms = append(rooms, reserve(t, d, "ann", size))
	}
	if n := len(names(t, dir, "temp-")); n != 30 {
		t.Errorf("%d files for 30 reservations", n)
	}
	for _, r := range rooms {
		r.Release()
		r.Release()
	}
	waiting := names(t, dir, "temp-")
	if len(waiting) != 8 {
		t.Errorf("%d files wait", len(waiting))
	}
	for _, name := range waiting {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() > 4<<20 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

// A spare has the space of the reservation that it serves, also of a larger one.
func TestW32DiskSpareGrows(t *testing.T) {
	dir := t.TempDir()
	d := openFaulty(t, dir, nil, nil)
	reserve(t, d, "ann", 10).Release()
	first := names(t, dir, "temp-")
	reserve(t, d, "ann", 1<<20)
	second := names(t, dir, "temp-")
	if len(first) != 1 || len(second) != 1 || first[0] != second[0] {
		t.Errorf("%v, then %v", first, second)
	}
	on := false
	d = openFaulty(t, t.TempDir(), nil, durabletest.Failing(&on, syscall.ENOSPC, "allocate"))
	reserve(t, d, "ann", 10).Release()
	on = true
	if _, err := d.Reserve(t.Context(), firewall.Owner{ID: "ann"}, 20); !errors.Is(err, firewall.ErrFull) {
		t.Errorf("Reserve of more than the disk has: %v", err)
	}
}

// A disk that cannot be written any more is noticed after a second, before a tool
// runs.
func TestW32DiskSparesAreLookedAfter(t *testing.T) {
	for name, cause := range durabletest.Causes {
		t.Run(name, func(t *testing.T) {
			c, on, dir := newClock(), false, t.TempDir()
			d := openFaulty(t, dir, &disk.Options{Now: c.Now}, durabletest.Failing(&on, cause, "create", "allocate"))
			reserve(t, d, "ann", 10).Release()
			on = true
			reserve(t, d, "ann", 10).Release()
			for range 2 {
				c.advance(time.Second)
				_, err := d.Reserve(t.Context(), firewall.Owner{ID: "ann"}, 10)
				if full := cause == syscall.ENOSPC; errors.Is(err, firewall.ErrFull) != full || errors.Is(err, cause) == full {
					t.Errorf("Reserve: %v", err)
				}
			}
			wantTidy(t, dir)
			on = false
			keep(t, d, "ann", "later")
		})
	}
	t.Run("gone", func(t *testing.T) {
		c, dir := newClock(), filepath.Join(t.TempDir(), "store")
		d := openDisk(t, dir, &disk.Options{Now: c.Now})
		reserve(t, d, "ann", 10).Release()
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		c.advance(-time.Second)
		if _, err := d.Reserve(t.Context(), firewall.Owner{ID: "ann"}, 10); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Reserve: %v", err)
		}
	})
}

// A process that is gone leaves no reservation behind: neither a file nor room that
// is taken.
func TestW32DiskReservationsEndWithTheirStore(t *testing.T) {
	dir, o := t.TempDir(), &disk.Options{MaxArtifacts: 2, MaxBytes: 100}
	d := openDisk(t, dir, o)
	reserve(t, d, "ann", 10).Release()
	reserve(t, d, "ann", 50)
	wantFull(t, d, "bob", 60, "bytes", 0)
	closeDisk(t, d)
	d = openDisk(t, dir, o)
	if n := wantTidy(t, dir); n != 0 {
		t.Errorf("%d artifacts", n)
	}
	reserve(t, d, "bob", 100)
}
