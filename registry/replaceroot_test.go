package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// wide is an edition of n functions, in namespaces of fifty.
func wide(number, n int) *registry.Registry {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("n%d.do_%d_in_e%d", i/50, i, number)
	}
	return edition(number, names...)
}

// readAll reads r in every way and returns the edition that all of them are of.
func readAll(ctx context.Context, r *registry.Registry) (int, error) {
	var of int
	l, err := r.List(ctx, "")
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Sscanf(l.Description, "Edition %d.", &of); err != nil {
		return 0, err
	}
	in := fmt.Sprintf("_in_e%d", of)
	var first *registry.Function
	for f := range r.All() {
		if first = f; !strings.HasSuffix(f.Name(), in) {
			return 0, fmt.Errorf("%s is of another edition than %d", f.Name(), of)
		}
	}
	if f, err := r.Function(ctx, first.Namespace(), first.Name()); f != first {
		return 0, fmt.Errorf("%s by its path: %w", first.Name(), err)
	}
	if f, err := r.FunctionByID(ctx, first.Primitive()); f != first {
		return 0, fmt.Errorf("%s by its id: %w", first.Name(), err)
	}
	if m := r.Search(ctx, first.Path(), 1); len(m) != 1 || m[0].Name != first.Name() {
		return 0, fmt.Errorf("%s is searched, and found is %v", first.Path(), m)
	}
	if nodes, err := registry.Browse(ctx, r, "/"); err != nil || len(nodes) == 0 {
		return 0, fmt.Errorf("there are %d namespaces: %w", len(nodes), err)
	}
	return of, nil
}

// TestW37RootSwapKeepsNobodyWaiting holds that readers need nothing that a change
// holds on to, and that all that they have asked for once is made before they
// see it: each is done while the locks are taken.
func TestW37RootSwapKeepsNobodyWaiting(t *testing.T) {
	reg := registry.New(nil)
	if err := reg.Replace("", wide(0, 10)); err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(t.Context(), reg); err != nil { // somebody searches, and asks for ids
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		if err := reg.Replace("", wide(n, 300)); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		registry.Locked(reg, func() {
			go func() {
				of, err := readAll(t.Context(), reg)
				if err == nil && of != n {
					err = fmt.Errorf("edition %d is read", of)
				}
				done <- err
			}()
			select {
			case err := <-done:
				if err != nil {
					t.Errorf("edition %d: %v", n, err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("edition %d: readers wait for those who change", n)
			}
		})
	}
}

// TestRootSwapLetsGo holds that what was replaced is not kept for searches.
func TestRootSwapLetsGo(t *testing.T) {
	reg := registry.New(nil)
	for n := range 3 {
		if err := reg.Replace("", wide(n, 10)); err != nil {
			t.Fatal(err)
		}
		if _, err := readAll(t.Context(), reg); err != nil {
			t.Fatal(err)
		}
		if kept, read := registry.Snapshots(reg); kept != read {
			t.Errorf("after edition %d an older snapshot is kept", n)
		}
	}
}

// TestW37RootSwapsAreWhole holds that each answer is of one edition, while
// editions change as fast as they can: nothing is half new.
func TestW37RootSwapsAreWhole(t *testing.T) {
	reg := registry.New(nil)
	editions := []*registry.Registry{wide(0, 120), wide(1, 120)}
	if err := reg.Replace("", editions[0]); err != nil {
		t.Fatal(err)
	}
	var ids []toolid.Primitive
	for _, e := range editions {
		for f := range e.All() {
			ids = append(ids, f.Primitive())
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	check := func() error {
		of := make(map[string]bool)
		for _, m := range reg.Search(ctx, "do in edition", 20) {
			of[m.Name[strings.LastIndexByte(m.Name, 'e'):]] = true
		}
		if len(of) != 1 {
			return fmt.Errorf("a search finds editions %v", of)
		}
		for i, id := range ids {
			f, err := registry.Find(ctx, reg, id)
			if err == nil && !strings.HasSuffix(f.Name(), fmt.Sprint("_e", i)) || err != nil && !errors.Is(err, registry.UnknownFunction) {
				return fmt.Errorf("%s is %v, %w", id, f, err)
			}
		}
		nodes, err := registry.Browse(ctx, reg, "/n1")
		if err != nil || len(nodes) != 50 {
			return fmt.Errorf("there are %d nodes, %w", len(nodes), err)
		}
		return nil
	}
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := check(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := range 60 {
		if err := reg.Replace("", editions[n%2]); err != nil {
			t.Error(err)
		}
	}
	cancel()
	readers.Wait()
}
