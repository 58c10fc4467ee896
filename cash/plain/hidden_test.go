package plain_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// secrets are functions that only a boss sees, by namespace and name: alone, beside
// what is visible, below it, and on top.
var secrets = [][2]string{{"vault", "open"}, {"vault.deep", "drain"}, {"orders", "refund"}, {"orders.list", "old"}, {"orders.archive", "create"}, {"", "panic"},
	{"orders.a_very_long_name_of_a_namespace_that_goes_on_and_on", "and_on_until_it_is_cut"}}

func house(hidden bool) (*plain.Server, []string) {
	s := newShop()
	var flat []string
	for _, at := range secrets {
		f := registry.Func(at[1], "Gold.", func(context.Context, none) (string, error) { return "gold", nil }, registry.VisibleTo(registry.Roles("boss")))
		flat = append(flat, f.In(at[0]).FlatName())
		if hidden {
			s.Namespace(at[0], "").Add(f)
		}
	}
	return plain.NewServer(s, &plain.Options{Serve: serve.Options{Instructions: "Be kind."}}), flat
}

// TestHiddenIsAbsent compares, byte for byte, what somebody is told who may not
// see a function with what a server says that does not have it.
func TestHiddenIsAbsent(t *testing.T) {
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			with, flat := house(true)
			without, _ := house(false)
			a, b := l.Connect(t, with, named("eve", "clerk"), nil), l.Connect(t, without, named("eve", "clerk"), nil)
			if x, y := toJSON(a.Session.InitializeResult()), toJSON(b.Session.InitializeResult()); x != y {
				t.Errorf("when connecting\n%s\n%s", x, y)
			}
			if x, y := toJSON(a.Tools()), toJSON(b.Tools()); x != y {
				t.Errorf("tools/list\n%s\n%s", x, y)
			}
			for _, name := range flat {
				for _, name := range []string{name, name + "x", strings.ToUpper(name), strings.ReplaceAll(name, "-", "."), name[:len(name)-1]} {
					for _, args := range []any{object{}, object{"id": 7}, nil} {
						p := &mcp.CallToolParams{Name: name, Arguments: args}
						x, y := spoken(a.Session.CallTool(t.Context(), p)), spoken(b.Session.CallTool(t.Context(), p))
						if x != y || strings.Contains(x, "gold") {
							t.Errorf("%s:\n%s\n%s", name, x, y)
						}
					}
				}
			}
			// The test above would fail: the boss sees it all.
			boss := l.Connect(t, with, named("max", "boss"), nil)
			if n := len(boss.Tools()); n != len(shopTools)+len(secrets) {
				t.Errorf("the boss sees %d tools", n)
			}
			for _, name := range flat {
				if r := boss.Tool(name, nil).OK(); r.Text != "gold" {
					t.Errorf("%s: %s", name, r.Text)
				}
			}
		})
	}
}
