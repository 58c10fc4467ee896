package storetest_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
)

// shares returns n times the same store.
func shares[S any](n int, store S) ([]S, error) { return slices.Repeat([]S{store}, n), nil }

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
