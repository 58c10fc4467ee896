package storetest_test

import (
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
)

// A stoodClock stands until it is moved.
type stoodClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stoodClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stoodClock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newClock() storetest.Clock {
	c := &stoodClock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	return storetest.Clock{Now: c.Now, Sleep: c.Sleep}
}

// memoryArtifacts are the rows in memory, behind what spoils the store. spoil may be nil.
func memoryArtifacts(spoil func(firewall.Store) firewall.Store) []storetest.Row {
	return storetest.Artifacts(func(n int, limits firewall.MemoryOptions) ([]firewall.Store, error) {
		var store firewall.Store = firewall.NewMemory(&limits)
		if spoil != nil {
			store = spoil(store)
		}
		return shares(n, store)
	}, newClock())
}

func TestArtifactsInMemory(t *testing.T) { storetest.Run(t, memoryArtifacts(nil)) }

func TestArtifactsOnDisk(t *testing.T) {
	storetest.Run(t, storetest.Artifacts(func(n int, o firewall.MemoryOptions) ([]firewall.Store, error) {
		store, err := disk.Open(t.TempDir(), &disk.Options{
			MaxBytes: o.MaxBytes, MaxBytesPerOwner: o.MaxBytesPerOwner, MaxArtifacts: o.MaxArtifacts, MaxPerOwner: o.MaxPerOwner,
			MaxAge: o.MaxAge, Promise: o.Promise, Now: o.Now,
		})
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { store.Close() })
		return shares[firewall.Store](n, store)
	}, newClock()))
}
