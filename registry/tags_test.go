package registry_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// Tags belong to a function's definition, and are copied from what is given.
func TestFunctionTags(t *testing.T) {
	definition := func(tags ...string) string {
		given := slices.Clone(tags)
		f := registry.Func("a", "Does it.", func(context.Context, struct{}) (string, error) { return "", nil }, registry.Tags(given...))
		if len(given) > 0 {
			given[0] = "changed"
		}
		reg := registry.New(nil)
		reg.Namespace("n", "").Add(f)
		added, err := reg.Function(context.Background(), "n", "a")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(added.Tags(), tags) {
			t.Errorf("tags are %q, want %q", added.Tags(), tags)
		}
		return added.Definition()
	}
	seen := make(map[string][]string)
	for _, tags := range [][]string{nil, {"x"}, {"y"}, {"x", "y"}, {`x" "y`}} {
		d := definition(tags...)
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q make one definition", tags, other)
		}
		seen[d] = tags
	}
	if a, b := definition("z"), definition("z"); a != b {
		t.Error("the same tags make two definitions")
	}
}
