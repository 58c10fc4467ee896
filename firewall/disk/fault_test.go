//go:build unix || windows

package disk_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

// Each step that the store does with its files fails once: what it has said is
// true, and the next time it goes well.
func TestW32DiskStepFailsOnce(t *testing.T) {
	durabletest.EachFault(t, durabletest.Once, 80, func(t *testing.T, cause error, fault durabletest.Fault) bool {
		return checkFaulty(t, cause, &life{patient: true, fault: fault}, false)
	})
}

// From one step on all of them fail, as on a disk that has gone bad, and with
// the store that is opened then, all is well.
func TestW32DiskFailsForGood(t *testing.T) {
	durabletest.EachFault(t, durabletest.Forever("read"), 80, func(t *testing.T, cause error, fault durabletest.Fault) bool {
		return checkFaulty(t, cause, &life{fault: fault}, true)
	})
}

// checkFaulty lives a life, and reports whether something in it failed.
func checkFaulty(t *testing.T, cause error, l *life, unsaid bool) (failed bool) {
	t.Helper()
	var told []event
	l.dir, l.clock, l.tell = durabletest.Scratch(t), newClock(), func(e event) { told = append(told, e) }
	l.live()
	wantCause(t, l, cause)
	wantWhole(t, l.dir, told, unsaid)
	return l.failed != nil
}

// wantCause checks that errors say why, and which directory it is only to who
// opens it.
func wantCause(t *testing.T, l *life, cause error) {
	t.Helper()
	for _, err := range l.failed {
		var full *firewall.FullError
		if !errors.Is(err, cause) && !(cause == syscall.ENOSPC && errors.As(err, &full) && full.Limit == "disk") {
			t.Errorf("%v; want %v", err, cause)
		}
		if text := err.Error(); strings.Contains(text, l.dir) != strings.HasPrefix(text, "opening") {
			t.Errorf("%v: does it name the directory?", err)
		}
	}
}

func openFaulty(t *testing.T, dir string, o *disk.Options, fault func(op, name string) error) *disk.Store {
	t.Helper()
	d, err := disk.OpenFaulty(dir, o, fault)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestW32DiskThatCannotBeWrittenIsRefusedBefore(t *testing.T) {
	for _, op := range []string{"create", "allocate"} {
		for name, cause := range durabletest.Causes {
			t.Run(op+" "+name, func(t *testing.T) {
				on, dir := false, t.TempDir()
				d := openFaulty(t, dir, &disk.Options{MaxArtifacts: 2}, durabletest.Failing(&on, cause, op))
				h := keep(t, d, "ann", "here")[0].Handle
				for range 3 {
					on = true
					_, err := d.Reserve(t.Context(), firewall.Owner{ID: "ann"}, 10)
					if full := cause == syscall.ENOSPC; errors.Is(err, firewall.ErrFull) != full || errors.Is(err, cause) == full {
						t.Errorf("Reserve: %v", err)
					}
					on = false
					if n := wantTidy(t, dir); n != 1 {
						t.Errorf("%d artifacts", n)
					}
				}
				wantData(t, d, "ann", h, "here")
				keep(t, d, "ann", "later")
			})
		}
	}
}

func TestW32DiskRemovesLaterWhatItCannotRemoveNow(t *testing.T) {
	c, on, dir := newClock(), false, t.TempDir()
	o := &disk.Options{MaxAge: time.Minute, Now: c.Now}
	d := openFaulty(t, dir, o, durabletest.Failing(&on, syscall.EIO, "remove"))
	keep(t, d, "ann", "one", "two")
	r := reserve(t, d, "ann", 10)
	c.advance(time.Minute)
	on = true
	r.Release()
	for range 3 {
		reserve(t, d, "ann", 0).Release()
	}
	back := keep(t, d, "bob", "one")[0].Handle // under the name of what should be gone
	on = false
	reserve(t, d, "ann", 0).Release()
	if n := wantTidy(t, dir); n != 1 {
		t.Errorf("%d artifacts", n)
	}
	wantData(t, d, "bob", back, "one")
}

// A record or blob that cannot be read at one opening is there at the next.
func TestW32DiskKeepsWhatItCannotReadNow(t *testing.T) {
	for _, op := range []string{"read", "stat"} {
		t.Run(op, func(t *testing.T) {
			dir, on := t.TempDir(), true
			d := openDisk(t, dir, nil)
			h := keep(t, d, "ann", "one", "two")
			d.Close()
			d = openFaulty(t, dir, nil, durabletest.Failing(&on, syscall.EIO, op))
			wantNone(t, d, "ann", h[0].Handle)
			d.Close()
			d = openDisk(t, dir, nil)
			wantData(t, d, "ann", h[0].Handle, "one")
			wantData(t, d, "ann", h[1].Handle, "two")
		})
	}
}
