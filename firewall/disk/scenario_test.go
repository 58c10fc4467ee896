package disk_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
)

// A life is what a store goes through in the tests of crashes and faults: it
// keeps results of one part and of many, lets some expire, is closed and opened
// again. It tells what has been kept, and when time goes on, before it does.
type life struct {
	dir   string
	fault func(op, name string) error
	tell  func(e event)
	clock *clock
	// patient opens and keeps a second time what has failed.
	patient bool
	failed  []error
}

// An event is that something was kept, or that time goes on.
type event struct {
	Owner, Handle, Data string
	Expires, Now        time.Time
}

const lifeAge = time.Minute

func (l *life) options() *disk.Options {
	return &disk.Options{MaxAge: lifeAge, Now: l.clock.Now}
}

func (l *life) live() {
	d := l.open()
	if d == nil {
		return
	}
	l.keep(d, "ann", 100, "one", strings.Repeat("two", 1000), "three")
	l.keep(d, "bob", 0, "one") // what ann has
	l.unused(d)
	l.goOn(lifeAge / 2)
	l.keep(d, "ann", 1<<20, "four", "five")
	l.goOn(lifeAge / 2)        // the first two are gone
	l.keep(d, "bob", 3, "one") // and here one is back
	l.fail(d.Close())
	if d = l.open(); d == nil {
		return
	}
	defer d.Close()
	l.keep(d, "cat", 10, "four", "four")
	l.goOn(lifeAge / 2)
	l.keep(d, "ann", 10, "six")
	l.unused(d)
}

func (l *life) fail(err error) {
	if err != nil {
		l.failed = append(l.failed, err)
	}
}

func (l *life) open() *disk.Store {
	for range 2 {
		d, err := disk.OpenFaulty(l.dir, l.options(), l.fault)
		if err == nil {
			return d
		}
		if l.fail(err); !l.patient {
			return nil
		}
	}
	panic("the store does not open the second time")
}

func (l *life) goOn(d time.Duration) {
	l.tell(event{Now: l.clock.Now().Add(d)})
	l.clock.advance(d)
}

func (l *life) unused(d *disk.Store) {
	r, err := d.Reserve(context.Background(), firewall.Owner{ID: "dan"}, 1000)
	if l.fail(err); err == nil {
		r.Release()
	}
}

func (l *life) keep(d *disk.Store, owner string, size int64, data ...string) {
	for range 2 {
		refs, err := keepOnce(d, owner, size, data)
		if err == nil {
			for i, ref := range refs {
				l.tell(event{owner, ref.Handle, data[i], l.clock.Now().Add(lifeAge), l.clock.Now()})
			}
			return
		}
		if l.fail(err); !l.patient {
			return
		}
	}
	panic("a result is not kept the second time")
}

func keepOnce(d *disk.Store, owner string, size int64, data []string) ([]firewall.Ref, error) {
	r, err := d.Reserve(context.Background(), firewall.Owner{ID: owner}, size)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Keep(context.Background(), parts(data...))
}

func textLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// wantWhole opens the store that something has happened to, and checks that it
// has what was told, whole, that nothing else lies about, and that it goes on.
// unsaid allows for a Keep that has come to its end but was not told.
func wantWhole(t *testing.T, dir string, told []event, unsaid bool) {
	t.Helper()
	c := newClock()
	for _, e := range told {
		c.advance(max(0, e.Now.Sub(c.Now())))
	}
	var log bytes.Buffer
	o := &disk.Options{MaxAge: lifeAge, Now: c.Now, Logger: textLogger(&log)}
	d, err := disk.Open(dir, o)
	if err != nil {
		t.Fatalf("the store does not open: %v", err)
	}
	left := 0
	for _, e := range told {
		switch {
		case e.Handle == "":
			continue
		case !c.Now().Before(e.Expires):
			wantNone(t, d, e.Owner, e.Handle)
			continue
		}
		left++
		wantData(t, d, e.Owner, e.Handle, e.Data)
		wantNone(t, d, "eve", e.Handle)
	}
	if n := wantTidy(t, dir); n != left && !(unsaid && n > left) {
		t.Errorf("%d artifacts in the records, want %d", n, left)
	}
	h := keep(t, d, "ann", "after", "one")[0].Handle
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = openDisk(t, dir, o)
	wantData(t, d, "ann", h, "after")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if log.Len() > 0 { // nothing of this is damage
		t.Errorf("log: %s", &log)
	}
}

// wantTidy checks that the directory holds whole records, their blobs, and
// nothing else. It returns the number of artifacts in the records.
func wantTidy(t *testing.T, dir string) int {
	t.Helper()
	n, wanted, there := 0, map[string]bool{"lock": true}, map[string]bool{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		there[e.Name()] = true
		if !strings.HasPrefix(e.Name(), "record-") {
			continue
		}
		wanted[e.Name()] = true
		for _, blob := range blobsOf(t, dir, e.Name()) {
			wanted[blob] = true
			n++
		}
	}
	for name := range there {
		if !wanted[name] {
			t.Errorf("%s lies about", name)
		}
	}
	for name := range wanted {
		if !there[name] {
			t.Errorf("%s is missing", name)
		}
		if sum, ok := strings.CutPrefix(name, "blob-"); ok {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if got := sha256.Sum256(data); err != nil || hex.EncodeToString(got[:]) != sum {
				t.Errorf("%s is not whole: %v", name, err)
			}
		}
	}
	return n
}

// blobsOf returns the files that a record refers to.
func blobsOf(t *testing.T, dir, name string) (blobs []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Artifacts []struct{ Content string } }
	if err := json.Unmarshal(data, &r); err != nil || len(r.Artifacts) == 0 {
		t.Fatalf("record %s: %v", data, err)
	}
	for _, a := range r.Artifacts {
		blobs = append(blobs, fmt.Sprint("blob-", a.Content))
	}
	return blobs
}
