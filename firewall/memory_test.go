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
	c := newClock()
	m := firewall.NewMemory(&firewall.MemoryOptions{MaxAge: time.Minute, Now: c.Now})
	before := heap()
	for i := range 12 {
		keep(t, m, fmt.Sprint(i), string(make([]byte, size)))
	}
	if used := heap() - before; used > 2*size {
		t.Errorf("%d bytes for 12 times the same %d", used, size)
	}
	c.advance(time.Minute)
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

// useStore keeps something for ann, and looks at it.
func useStore(store firewall.Store) {
	ctx := context.Background()
	room, err := store.Reserve(ctx, "ann", 1000) // before the tool runs
	if err != nil {
		panic(err)
	}
	defer room.Release()
	refs, err := room.Keep(ctx, []firewall.Part{{Data: []byte("hello, disk!"), MediaType: "text/plain"}})
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
}

func ExampleNewMemory() {
	useStore(firewall.NewMemory(&firewall.MemoryOptions{MaxBytes: 1 << 20}))
	// Output:
	// 12 bytes of text/plain
	// hello, disk!
	// somebody else: no such artifact
}

func BenchmarkStore(b *testing.B) {
	o := firewall.MemoryOptions{MaxArtifacts: 1 << 30, MaxPerOwner: 1 << 30, MaxBytes: 1 << 40, MaxBytesPerOwner: 1 << 40}
	for _, size := range []int{1 << 10, 1 << 20} {
		data := []firewall.Part{{Data: make([]byte, size)}}
		for name, s := range map[string]firewall.Store{
			"memory": firewall.NewMemory(&o), "disk": openDisk(b, b.TempDir(), diskOptions(o)),
		} {
			var handle string
			b.Run(fmt.Sprintf("%s/keep/%d", name, size), func(b *testing.B) {
				for b.Loop() {
					r := reserve(b, s, "ann", int64(size))
					refs, err := r.Keep(context.Background(), data)
					if err != nil {
						b.Fatal(err)
					}
					r.Release()
					handle = refs[0].Handle
				}
			})
			b.Run(fmt.Sprintf("%s/open/%d", name, size), func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Open(context.Background(), "ann", handle); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/reserve/%d", name, size), func(b *testing.B) {
				for b.Loop() {
					reserve(b, s, "bob", int64(size)).Release()
				}
			})
		}
	}
}
