package disk_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cash-mcp/go-sdk/firewall"
)

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
