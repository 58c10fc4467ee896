package registry_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestSearchOfManyDoesNotWait holds what a search of many functions finds after a change: nothing that has gone or is
// hidden by now, and soon all that is new.
func TestSearchOfManyDoesNotWait(t *testing.T) {
	reg := registry.New(nil)
	nothing := func(context.Context, struct{}) (string, error) { return "", nil }
	for i := range 41 {
		ns := reg.Namespace(fmt.Sprintf("n%d", i), "")
		list := make([]*registry.Function, 250)
		for j := range list {
			list[j] = registry.Func(fmt.Sprintf("f%d", j), "Do it.", nothing)
		}
		ns.Add(list...)
	}
	plant := func(label, name string) {
		tree := registry.New(nil)
		tree.Namespace("", "").Add(registry.Func(name, "Paint a zebra.", nothing))
		if err := reg.Replace(label, tree); err != nil {
			t.Fatal(err)
		}
	}
	found := func(path string) []registry.Match { return reg.SearchNamespace(t.Context(), path, "zebra", 10) }
	plant("zoo", "first")
	reg.Namespace("secret", "").Add(registry.Func("hidden", "Hide a zebra.", nothing))
	if got := found(""); len(got) != 2 {
		t.Fatalf("the first search finds %v", got)
	}
	plant("zoo", "second")
	reg.Namespace("secret", "").Restrict(registry.Authenticated)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		got := found("")
		for _, m := range got {
			if m.Name != "second" {
				t.Fatalf("after the change it finds %v", got)
			}
		}
		if got := found("secret"); len(got) != 0 {
			t.Fatalf("in a hidden namespace it finds %v", got)
		}
		if len(got) == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not find what is new")
		}
	}
}
