package registry_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestSearchSoonHiddenIsAbsent holds R54 until the index of many functions is made again: what has gone or is hidden by
// now takes no place among the matches, and has no influence on their order and scores.
func TestSearchSoonHiddenIsAbsent(t *testing.T) {
	nothing := func(context.Context, struct{}) (string, error) { return "", nil }
	plant := func(reg *registry.Registry, label, description string, names ...string) {
		tree := registry.New(nil)
		for _, name := range names {
			tree.Namespace("", "").Add(registry.Func(name, description, nothing))
		}
		if err := reg.Replace(label, tree); err != nil {
			t.Fatal(err)
		}
	}
	reg, only := registry.New(nil), registry.New(nil)
	for _, r := range []*registry.Registry{reg, only} {
		for i := range 41 {
			list := make([]*registry.Function, 250)
			for j := range list {
				list[j] = registry.Func(fmt.Sprintf("f%d", j), "Do it.", nothing)
			}
			r.Namespace(fmt.Sprintf("n%d", i), "").Add(list...)
		}
		r.Namespace("open", "").Add(registry.Func("paint", "Paint a house, a boat or a zebra.", nothing))
	}
	plant(only, "zoo", "A zebra.", "stays")
	plant(reg, "zoo", "A zebra.", "stays", "zebra", "zebras")
	reg.Namespace("secret.deep", "").Add(registry.Func("zebra", "Hide a zebra.", nothing))
	if got := reg.Search(t.Context(), "zebra", 2); len(got) != 2 || got[0].Name != "zebra" {
		t.Fatalf("before the change it finds %v", got)
	}
	plant(reg, "zoo", "A zebra.", "stays")
	reg.Namespace("secret", "").Restrict(registry.Roles("staff"))
	if _, err := reg.List(t.Context(), ""); err != nil { // makes the snapshot
		t.Fatal(err)
	}
	want := only.Search(t.Context(), "zebra", 2)
	registry.Locked(reg, func() {
		if got := reg.Search(t.Context(), "zebra", 2); len(want) != 2 || !slices.Equal(got, want) {
			t.Errorf("after the change it finds %v, want %v", got, want)
		}
		if got := reg.SearchNamespace(t.Context(), "secret.deep", "zebra", 2); len(got) != 0 {
			t.Errorf("in a hidden namespace it finds %v", got)
		}
		staff := registry.WithCaller(t.Context(), &registry.Caller{ID: "s", Roles: []string{"staff"}})
		if got := reg.Search(staff, "zebra", 1); len(got) != 1 || got[0].Namespace != "secret.deep" {
			t.Errorf("staff finds %v", got)
		}
	})
}
