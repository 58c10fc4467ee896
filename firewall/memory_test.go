package firewall_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
)

func TestW32MemoryKeepsEqualContentsOnce(t *testing.T) {
	const size = 4 << 20
	now := time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC)
	m := firewall.NewMemory(&firewall.MemoryOptions{MaxAge: time.Minute, Now: func() time.Time { return now }})
	before := heap()
	for i := range 12 {
		r := reserve(t, m, fmt.Sprint(i), 0)
		if _, err := r.Keep(t.Context(), []firewall.Part{{Data: make([]byte, size)}}); err != nil {
			t.Fatal(err)
		}
		r.Release()
	}
	if used := heap() - before; used > 2*size {
		t.Errorf("%d bytes for 12 times the same %d", used, size)
	}
	now = now.Add(time.Minute)
	reserve(t, m, "ann", 0)
	if used := heap() - before; used > size/2 {
		t.Errorf("%d bytes are left", used)
	}
	runtime.KeepAlive(m)
}

// A part may be a small piece of something large, which must not stay with it.
func TestW32MemoryKeepsNoMoreThanItCounts(t *testing.T) {
	before := heap()
	m := firewall.NewMemory(nil)
	for i := range 16 {
		large := make([]byte, 4<<20)
		large[0] = byte(i)
		r := reserve(t, m, "ann", 1)
		if _, err := r.Keep(t.Context(), []firewall.Part{{Data: large[:1]}}); err != nil {
			t.Fatal(err)
		}
	}
	if used := heap() - before; used > 4<<20 {
		t.Errorf("%d bytes for 16", used)
	}
	runtime.KeepAlive(m)
}

func TestW32MemoryForgetsOwners(t *testing.T) {
	m := firewall.NewMemory(nil)
	before := heap()
	for i := range 50_000 {
		reserve(t, m, fmt.Sprint(i), 1).Release()
	}
	if used := heap() - before; used > 1<<20 {
		t.Errorf("%d bytes for nothing", used)
	}
	runtime.KeepAlive(m)
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func reserve(t testing.TB, m *firewall.Memory, owner string, size int64) firewall.Reservation {
	t.Helper()
	r, err := m.Reserve(t.Context(), firewall.Owner{ID: owner}, size)
	if err != nil {
		t.Fatalf("Reserve(%q, %d): %v", owner, size, err)
	}
	return r
}

func ExampleNewMemory() {
	store := firewall.NewMemory(&firewall.MemoryOptions{MaxBytes: 1 << 20})
	ctx := context.Background()
	room, err := store.Reserve(ctx, firewall.Owner{ID: "ann"}, 1000) // before the tool runs
	if err != nil {
		panic(err)
	}
	defer room.Release()
	refs, err := room.Keep(ctx, []firewall.Part{{Data: []byte("hello, model"), MediaType: "text/plain"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(refs[0].Size, "bytes of", refs[0].MediaType)
	a, err := store.Open(ctx, "ann", refs[0].Handle)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", a.Data)
	_, err = store.Open(ctx, "bob", refs[0].Handle)
	fmt.Println("somebody else:", err)
	// Output:
	// 12 bytes of text/plain
	// hello, model
	// somebody else: no such artifact
}

// TestUsage holds that artifacts and reservations count, until they are gone.
func TestUsage(t *testing.T) {
	now := time.Unix(1000, 0)
	m := firewall.NewMemory(&firewall.MemoryOptions{Now: func() time.Time { return now }})
	if u := m.Usage(); u != (firewall.Usage{}) {
		t.Errorf("empty: %+v", u)
	}
	r, err := m.Reserve(t.Context(), firewall.Owner{ID: "ann"}, 100)
	if u := m.Usage(); err != nil || u != (firewall.Usage{Artifacts: 1, Bytes: 100}) {
		t.Errorf("reserved: %+v, %v", u, err)
	}
	if _, err := r.Keep(t.Context(), []firewall.Part{{Data: []byte("0123456789"), MediaType: "a/b"}}); err != nil {
		t.Fatal(err)
	}
	r.Release()
	if u := m.Usage(); u != (firewall.Usage{Artifacts: 1, Bytes: 13}) {
		t.Errorf("kept: %+v", u)
	}
	now = now.Add(time.Hour)
	if u := m.Usage(); u != (firewall.Usage{}) {
		t.Errorf("expired: %+v", u)
	}
}
