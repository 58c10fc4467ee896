package registry_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// TestClaimsAfterChanges holds that ids after any number of changes are those of a registry in which everything was
// there from the start, and that each id leads to its functions only.
func TestClaimsAfterChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ids := make([]toolid.ID, 4)
	for i := range ids {
		ids[i] = toolid.ID{Namespace: "m0", Name: fmt.Sprintf("read%d", i%2), Version: fmt.Sprint(i / 2)}
	}
	newTree := func() *registry.Registry {
		var o registry.Options
		if r.IntN(4) == 0 {
			o.VisibleTo = registry.Roles("staff")
		}
		tree := registry.New(&o)
		for _, name := range []string{"read0", "read1", "deep.read0"} {
			path, f := "", (*registry.Function)(nil)
			if name == "deep.read0" {
				path, name = "deep", "read0"
			}
			switch r.IntN(4) {
			case 0:
				continue
			case 1:
				f = registry.Func(name, "Read.", func(context.Context, struct{}) (string, error) { return "", nil })
			default:
				remote := registry.Remote{
					ID: toolid.Primitive{Kind: toolid.Tool, ID: ids[r.IntN(len(ids))]}, Server: "x",
					Handler: func(context.Context, *registry.Call) (*registry.Result, error) { return registry.TextResult(""), nil },
				}
				if r.IntN(2) == 0 {
					remote.Instead = toolid.Primitive{Kind: toolid.Tool, ID: toolid.ID{Namespace: "m1", Name: "read0", Version: fmt.Sprint(r.IntN(3))}}
				}
				var opts []registry.FuncOption
				if r.IntN(6) == 0 {
					opts = append(opts, registry.VisibleTo(registry.Roles("staff")))
				}
				var err error
				if f, err = registry.RemoteFunc(name, "Read.", remote, opts...); err != nil {
					t.Fatal(err)
				}
			}
			tree.Namespace(path, "").Add(f)
		}
		return tree
	}
	staff := registry.WithCaller(t.Context(), &registry.Caller{ID: "s", Roles: []string{"staff"}})
	reg, trees := registry.New(nil), make(map[string]*registry.Registry)
	for step := range 300 {
		for range 1 + r.IntN(2) {
			label := fmt.Sprintf("m%d", r.IntN(5))
			if trees[label] = newTree(); r.IntN(5) == 0 {
				trees[label] = nil
			}
			if err := reg.Replace(label, trees[label]); err != nil {
				t.Fatal(err)
			}
		}
		fresh := registry.New(nil)
		for label, tree := range trees {
			if err := fresh.Replace(label, tree); err != nil {
				t.Fatal(err)
			}
		}
		want, seen := make(map[string]string), make(map[toolid.Primitive]bool)
		for f := range fresh.All() {
			want[f.Path()] = f.Primitive().String()
			seen[f.Primitive()] = true
		}
		count := 0
		for f := range reg.All() {
			if count++; f.Primitive().String() != want[f.Path()] {
				t.Fatalf("step %d: %s is %s, want %s", step, f.Path(), f.Primitive(), want[f.Path()])
			}
		}
		if count != len(want) {
			t.Fatalf("step %d: %d functions, want %d", step, count, len(want))
		}
		for _, id := range ids {
			seen[toolid.Primitive{Kind: toolid.Tool, ID: id}] = true
		}
		for _, ctx := range []context.Context{t.Context(), staff} {
			for id := range seen {
				f, err := registry.Find(ctx, reg, id)
				g, wantErr := registry.Find(ctx, fresh, id)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && f.Path() != g.Path() {
					t.Fatalf("step %d: %s is %v (%v), want %v (%v)", step, id, f, err, g, wantErr)
				}
			}
		}
	}
}
