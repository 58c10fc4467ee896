package disk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
)

// A clock stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// diskOptions returns what o says, for a store on disk.
func diskOptions(o firewall.MemoryOptions) *disk.Options {
	return &disk.Options{
		MaxBytes: o.MaxBytes, MaxBytesPerOwner: o.MaxBytesPerOwner,
		MaxArtifacts: o.MaxArtifacts, MaxPerOwner: o.MaxPerOwner, MaxAge: o.MaxAge, Promise: o.Promise, Now: o.Now,
	}
}

func openDisk(t testing.TB, dir string, o *disk.Options) *disk.Store {
	t.Helper()
	d, err := disk.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// eachStore runs a test with every kind of store.
func eachStore(t *testing.T, o firewall.MemoryOptions, test func(t *testing.T, s firewall.Store)) {
	t.Run("memory", func(t *testing.T) { test(t, firewall.NewMemory(&o)) })
	t.Run("disk", func(t *testing.T) { test(t, openDisk(t, t.TempDir(), diskOptions(o))) })
}

func reserve(t testing.TB, s firewall.Store, owner string, size int64) firewall.Reservation {
	t.Helper()
	r, err := s.Reserve(t.Context(), firewall.Owner{ID: owner}, size)
	if err != nil {
		t.Fatalf("Reserve(%q, %d): %v", owner, size, err)
	}
	return r
}

// keep stores the parts, and gives back the room that they do not need.
func keep(t testing.TB, s firewall.Store, owner string, data ...string) []firewall.Ref {
	t.Helper()
	r := reserve(t, s, owner, 0)
	defer r.Release()
	refs, err := r.Keep(t.Context(), parts(data...))
	if err != nil {
		t.Fatalf("Keep: %v", err)
	}
	return refs
}

func parts(data ...string) []firewall.Part {
	var all []firewall.Part
	for _, d := range data {
		all = append(all, firewall.Part{Data: []byte(d)})
	}
	return all
}

func wantData(t testing.TB, s firewall.Store, owner, handle, want string) {
	t.Helper()
	a, err := s.Open(context.Background(), owner, handle)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if string(a.Data) != want || a.Size != int64(len(want)) || a.Handle != handle {
		t.Fatalf("Open: %d bytes, size %d, handle %s; want %d bytes of %s", len(a.Data), a.Size, a.Handle, len(want), handle)
	}
}

// wantNone checks that there is nothing, in the very same words as always.
func wantNone(t testing.TB, s firewall.Store, owner, handle string) {
	t.Helper()
	if a, err := s.Open(context.Background(), owner, handle); err != firewall.ErrNotFound || a != nil {
		t.Fatalf("Open: %v, %v; want ErrNotFound itself", a, err)
	}
}

func wantFull(t testing.TB, s firewall.Store, owner string, size int64, limit string, retry time.Duration) {
	t.Helper()
	r, err := s.Reserve(context.Background(), firewall.Owner{ID: owner}, size)
	var full *firewall.FullError
	if !errors.Is(err, firewall.ErrFull) || !errors.As(err, &full) || r != nil {
		t.Fatalf("Reserve: %v, %v; want a FullError", r, err)
	}
	if full.Limit != limit || full.RetryAfter != retry {
		t.Fatalf("Reserve: limit on %s, again in %v; want %s, %v", full.Limit, full.RetryAfter, limit, retry)
	}
}

func TestW32PartsAreKeptByteForByte(t *testing.T) {
	c := newClock()
	eachStore(t, firewall.MemoryOptions{MaxAge: time.Minute, Now: c.Now}, func(t *testing.T, s firewall.Store) {
		binary := make([]byte, 1<<16)
		for i := range binary {
			binary[i] = byte(i * i >> 3)
		}
		in := []firewall.Part{
			{Data: []byte("text\r\n\x00\xff\xfe"), MediaType: "text/plain; charset=utf-8", Label: "ärger ☃ <a>&"},
			{Data: binary, MediaType: "image/png", Label: "x"},
			{Data: []byte{}, MediaType: "application/json"},
			{},
			{Data: []byte("text\r\n\x00\xff\xfe"), Label: "again"},
		}
		r := reserve(t, s, "ann", 10)
		defer r.Release()
		refs, err := r.Keep(t.Context(), in)
		if err != nil || len(refs) != len(in) {
			t.Fatalf("Keep: %d references, %v", len(refs), err)
		}
		for i, ref := range refs {
			a, err := s.Open(t.Context(), "ann", ref.Handle)
			if err != nil {
				t.Fatal(err)
			}
			if a.Ref != ref || ref.Label != in[i].Label || ref.MediaType != in[i].MediaType || ref.Size != int64(len(in[i].Data)) {
				t.Errorf("part %d: kept %+v, opened %+v", i, ref, a.Ref)
			}
			if !bytes.Equal(a.Data, in[i].Data) {
				t.Errorf("part %d has other bytes", i)
			}
			if !a.Created.Equal(c.Now()) || !a.Expires.Equal(c.Now().Add(time.Minute)) {
				t.Errorf("part %d: from %v to %v", i, a.Created, a.Expires)
			}
		}
	})
}

func TestW32KeepOfNothing(t *testing.T) {
	eachStore(t, firewall.MemoryOptions{MaxArtifacts: 1}, func(t *testing.T, s firewall.Store) {
		r := reserve(t, s, "ann", 10)
		if refs, err := r.Keep(t.Context(), nil); err != nil || len(refs) != 0 {
			t.Fatalf("Keep: %v, %v", refs, err)
		}
		r.Release()
		keep(t, s, "ann", "x") // there is room for one still
	})
}

func TestW32LabelsAreValidText(t *testing.T) {
	eachStore(t, firewall.MemoryOptions{}, func(t *testing.T, s firewall.Store) {
		r := reserve(t, s, "ann", 10)
		defer r.Release()
		refs, err := r.Keep(t.Context(), []firewall.Part{{Label: "a\xffb", MediaType: "\xc3\x28"}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Open(t.Context(), "ann", refs[0].Handle)
		if err != nil || a.Ref != refs[0] || a.Label != "a\uFFFDb" || a.MediaType != "\uFFFD(" {
			t.Fatalf("%+v, %v", a, err)
		}
	})
}

func TestW32HandlesAreUnguessable(t *testing.T) {
	eachStore(t, firewall.MemoryOptions{MaxPerOwner: 1000}, func(t *testing.T, s firewall.Store) {
		seen := map[string]bool{}
		for range 20 {
			for _, ref := range keep(t, s, "ann", "same", "same", "same", "other") {
				random, ok := strings.CutPrefix(ref.Handle, "art-")
				if !ok || len(random)*5 < 128 || strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
					t.Fatalf("handle %q", ref.Handle)
				}
				if seen[ref.Handle] {
					t.Fatalf("handle %q twice", ref.Handle)
				}
				seen[ref.Handle] = true
			}
		}
	})
}

func TestW32ForeignExpiredAndMissingAreAlike(t *testing.T) {
	c := newClock()
	eachStore(t, firewall.MemoryOptions{MaxAge: time.Minute, Now: c.Now}, func(t *testing.T, s firewall.Store) {
		h := keep(t, s, "ann", "secret")[0].Handle
		wantData(t, s, "ann", h, "secret")
		for _, owner := range []string{"bob", "", "Ann", "ann ", "ann\x00", strings.Repeat("ann", 1<<18)} {
			wantNone(t, s, owner, h)
		}
		for _, handle := range []string{
			"", "art-", h[:len(h)-1], h + "A", strings.ToLower(h), " " + h, "art-" + strings.Repeat("A", 26),
			"../" + h, "\x00", "art-../../../../../../etc/passwd", strings.Repeat("A", 1<<22), "art-" + strings.Repeat("\xff", 26),
		} {
			wantNone(t, s, "ann", handle)
		}
		c.advance(time.Minute - 1)
		wantData(t, s, "ann", h, "secret")
		c.advance(1)
		wantNone(t, s, "ann", h)
		c.advance(-time.Minute) // nor does it come back
		wantNone(t, s, "ann", h)
	})
}

func TestW32OwnersAreOpaque(t *testing.T) {
	eachStore(t, firewall.MemoryOptions{}, func(t *testing.T, s firewall.Store) {
		owners := []string{"", "\x00", "\xff\xfe", "a", "a/../b", "A", strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20-1)}
		handles := make([]string, len(owners))
		for i, o := range owners {
			handles[i] = keep(t, s, o, fmt.Sprint("of ", i))[0].Handle
		}
		for i, o := range owners {
			for j, h := range handles {
				if i == j {
					wantData(t, s, o, h, fmt.Sprint("of ", i))
				} else {
					wantNone(t, s, o, h)
				}
			}
		}
	})
}

func TestW32CanceledContexts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	eachStore(t, firewall.MemoryOptions{MaxArtifacts: 1}, func(t *testing.T, s firewall.Store) {
		if _, err := s.Reserve(ctx, firewall.Owner{ID: "ann"}, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("Reserve: %v", err)
		}
		r := reserve(t, s, "ann", 1)
		if _, err := r.Keep(ctx, parts("a")); !errors.Is(err, context.Canceled) {
			t.Errorf("Keep: %v", err)
		}
		refs, err := r.Keep(t.Context(), parts("a"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(ctx, "ann", refs[0].Handle); !errors.Is(err, context.Canceled) {
			t.Errorf("Open: %v", err)
		}
	})
}

// What a caller does with its bytes afterwards is no matter for others who have
// the same.
func TestW32EqualContentsOfOwnersAreApart(t *testing.T) {
	eachStore(t, firewall.MemoryOptions{}, func(t *testing.T, s firewall.Store) {
		mine := []byte("the same")
		r := reserve(t, s, "ann", 10)
		if _, err := r.Keep(t.Context(), []firewall.Part{{Data: mine}}); err != nil {
			t.Fatal(err)
		}
		h := keep(t, s, "bob", "the same")[0].Handle
		copy(mine, "of ann's")
		wantData(t, s, "bob", h, "the same")
	})
}

func TestW32ManyOwnersAtOnce(t *testing.T) {
	c := newClock()
	o := firewall.MemoryOptions{MaxArtifacts: 64, MaxPerOwner: 20, MaxAge: time.Minute, Now: c.Now}
	eachStore(t, o, func(t *testing.T, s firewall.Store) {
		var all sync.WaitGroup
		handles := make(chan string, 1000)
		for i := range 8 {
			all.Go(func() { useAs(t, s, c, fmt.Sprint("owner ", i), handles) })
		}
		all.Wait()
		c.advance(2 * time.Minute)
		for i := range 64 { // all the room has come back
			reserve(t, s, fmt.Sprint("late ", i), 1)
		}
	})
}

func useAs(t *testing.T, s firewall.Store, c *clock, owner string, handles chan string) {
	ctx := context.Background()
	for i := range 40 {
		r, err := s.Reserve(ctx, firewall.Owner{ID: owner}, 10)
		if err != nil {
			if !errors.Is(err, firewall.ErrFull) {
				t.Error(err)
			}
			c.advance(10 * time.Second)
			continue
		}
		refs, err := r.Keep(ctx, parts("common", fmt.Sprint(owner, i%3)))
		r.Release()
		if err != nil {
			t.Error(err)
			return
		}
		a, err := s.Open(ctx, owner, refs[1].Handle)
		if err == nil && string(a.Data) != fmt.Sprint(owner, i%3) || err != nil && err != firewall.ErrNotFound {
			t.Errorf("Open: %v, %v", a, err)
		}
		select {
		case other := <-handles:
			if a, err := s.Open(ctx, owner+"'s friend", other); err != firewall.ErrNotFound {
				t.Errorf("Open of another's: %v, %v", a, err)
			}
		default:
		}
		handles <- refs[0].Handle
	}
}
