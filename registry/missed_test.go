package registry_test

import (
	"context"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// TestMissed holds that unknown names below a namespace are reported, that hidden ones are reported
// like absent ones, and that nothing else is.
func TestMissed(t *testing.T) {
	answer := func(context.Context, struct{}) (string, error) { return "", nil }
	admin := registry.VisibleTo(registry.Roles("admin"))
	tree := registry.New(nil)
	missed := 0
	top := tree.Namespace("", "A server.").Missed(func(context.Context) { missed++ })
	top.Add(registry.Func("list", "List.", answer), registry.Func("secret", "Hidden.", answer, admin))
	tree.Namespace("vault", "Hidden.", admin).Add(registry.Func("open", "Open.", answer))
	tree.Namespace("shelf", "Nothing to see.").Add(registry.Func("secret", "Hidden.", answer, admin))
	tree.Namespace("away", "Away.").Unavailable(&registry.Error{Kind: registry.Unavailable})
	reg := registry.New(nil)
	reg.Namespace("own", "Own.").Add(registry.Func("list", "List.", answer))
	for mount, visible := range map[string]registry.Visibility{"shop": nil, "hidden": registry.Roles("admin")} {
		tree.Namespace("", "").Restrict(visible)
		if err := reg.Replace(mount, tree); err != nil {
			t.Fatal(err)
		}
	}
	ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "bob"})
	for _, test := range []struct {
		path, name string
		want       int
	}{
		{"shop", "list", 0}, {"Shop", "", 0}, {"shop.away", "x", 0}, {"shop.away.x", "x", 0}, {"shop", "not a name", 0}, {"shop..", "x", 0},
		{"shop", "absent", 1}, {"shop", "secret", 1},
		{"shop.absent", "open", 1}, {"shop.vault", "open", 1}, {"shop.vault", "absent", 1}, {"shop.shelf", "secret", 1},
		{"shop.absent", "", 1}, {"shop.vault", "", 1}, {"shop.shelf", "", 1}, {"shop.vault.deep.er", "", 1},
		{"absent", "open", 0}, {"hidden", "list", 0}, {"hidden", "", 0}, {"hidden.vault", "open", 0},
		{"own", "absent", 0}, {"", "absent", 0}, {"", "", 0},
	} {
		missed = 0
		if test.name == "" {
			_, _ = reg.List(ctx, test.path)
		} else {
			_, _ = reg.Function(ctx, test.path, test.name)
		}
		if missed != test.want {
			t.Errorf("looking for %q in %q is reported %d times, want %d", test.name, test.path, missed, test.want)
		}
	}
	for path, want := range map[string]int{
		"/shop/list": 0, "/shop/absent": 1, "/shop/secret": 1, "/shop/vault/open": 1, "/absent/list": 0, "/hidden/list": 0, "/own/absent": 0,
	} {
		missed = 0
		if _, _ = registry.Browse(ctx, reg, path); missed != want {
			t.Errorf("browsing %s is reported %d times, want %d", path, missed, want)
		}
	}
	for name, want := range map[string]int{"absent": 1, "secret": 1, "vault.open": 1} {
		missed = 0
		id := toolid.Primitive{Kind: toolid.Tool, ID: toolid.ID{Namespace: "shop", Name: name, Hash: "01234567"}}
		if _, err := registry.Find(ctx, reg, id); err == nil || missed != want {
			t.Errorf("the id of %s is reported %d times, want %d (%v)", name, missed, want, err)
		}
	}
	missed = 0
	if _, err := reg.Skill(ctx, "shop.vault", "how"); err == nil || missed != 1 {
		t.Errorf("an unknown skill is reported %d times (%v)", missed, err)
	}
}

// TestSkillDefinition holds what a skill's definition covers.
func TestSkillDefinition(t *testing.T) {
	define := func(path, name, line, text string) string {
		s, err := registry.NewSkill(name, line, text).In(path)
		if err != nil {
			t.Fatal(err)
		}
		return s.Definition()
	}
	first := define("a", "how-to", "How.", "Do it.")
	if define("a", "how-to", "How.", "Do it.") != first || len(first) != 64 {
		t.Errorf("the definition is %q", first)
	}
	seen := map[string]bool{first: true}
	for _, other := range []string{
		define("b", "how-to", "How.", "Do it."), define("a", "howto", "How.", "Do it."),
		define("a", "how-to", "Why.", "Do it."), define("a", "how-to", "How.", "Do it twice."),
	} {
		if seen[other] {
			t.Error("two definitions are the same")
		}
		seen[other] = true
	}
}
