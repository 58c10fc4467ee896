package control_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/cash/control"
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

// shares returns n times the same store.
func shares[S any](n int, store S) (list []S, err error) { return slices.Repeat([]S{store}, n), nil }

// The subjects in memory, behind what spoils them. spoil may be nil.
func plansSubject(spoil func(control.PlanStore) control.PlanStore) storetest.Subject[control.PlanStore] {
	clock := &stoodClock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	return storetest.Subject[control.PlanStore]{
		Open: func(n int) ([]control.PlanStore, error) {
			store := control.PlansOf(50, clock.Now)
			if spoil != nil {
				store = spoil(store)
			}
			return shares(n, store)
		},
		Room: 50, Clock: storetest.Clock{Now: clock.Now, Sleep: clock.Sleep},
	}
}

func quotaSubject(spoil func(control.QuotaStore) control.QuotaStore) storetest.Subject[control.QuotaStore] {
	clock := &stoodClock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	return storetest.Subject[control.QuotaStore]{
		Open: func(n int) ([]control.QuotaStore, error) {
			store := control.QuotaOf(50, clock.Now)
			if spoil != nil {
				store = spoil(store)
			}
			return shares(n, store)
		},
		Room: 50, Clock: storetest.Clock{Now: clock.Now, Sleep: clock.Sleep},
	}
}

func approvalsSubject(spoil func(control.ApprovalStore) control.ApprovalStore) storetest.Subject[control.ApprovalStore] {
	return storetest.Subject[control.ApprovalStore]{
		Open: func(n int) ([]control.ApprovalStore, error) {
			store := control.ApprovalsOf(40, 4)
			if spoil != nil {
				store = spoil(store)
			}
			return shares(n, store)
		},
		Room: 40, RoomPerOwner: 4,
	}
}

func TestStoresInMemory(t *testing.T) {
	t.Run("plans", func(t *testing.T) { storetest.Run(t, storetest.Plans(plansSubject(nil))) })
	t.Run("quota", func(t *testing.T) { storetest.Run(t, storetest.Quota(quotaSubject(nil))) })
	t.Run("approvals", func(t *testing.T) { storetest.Run(t, storetest.Approvals(approvalsSubject(nil))) })
}

// wantBroken checks that exactly the named row fails with each fault, and that there is a fault for each row.
func wantBroken[S any](t *testing.T, rows func(spoil func(S) S) []storetest.Row, faults map[string]func(S) S) {
	t.Helper()
	for _, row := range rows(nil) {
		if faults[row.Name] == nil {
			t.Errorf("no fault for the row %q", row.Name)
		}
	}
	failed := make(map[string][]string)
	var mu sync.Mutex
	var all sync.WaitGroup
	for name, fault := range faults {
		all.Go(func() {
			for _, row := range rows(fault) {
				if row.Check(t.Context()) == nil {
					continue
				}
				mu.Lock()
				failed[name] = append(failed[name], row.Name)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for name := range faults {
		if !slices.Equal(failed[name], []string{name}) {
			t.Errorf("%s: failed are %q", name, failed[name])
		}
	}
}
