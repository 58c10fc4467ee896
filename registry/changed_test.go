package registry_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestChanged holds that every kind of change is told, and nothing else.
func TestChanged(t *testing.T) {
	reg := registry.New(nil)
	ns := reg.Namespace("shop", "A shop.")
	answer := func(context.Context, struct{}) (string, error) { return "", nil }
	tree := func() *registry.Registry {
		tree := registry.New(nil)
		tree.Namespace("", "Another.").Add(registry.Func("other", "Other.", answer))
		return tree
	}
	skill, err := registry.RemoteSkill("how", "How.", func(context.Context, json.RawMessage) (string, error) { return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name    string
		do      func() error
		changes bool
	}{
		{"add", func() error { ns.Add(registry.Func("list", "List.", answer)); return nil }, true},
		{"list", func() error { _, err := reg.List(t.Context(), "shop"); return err }, false},
		{"refused", func() error {
			if ns.TryAdd(registry.Func("list", "List.", answer)) == nil {
				t.Error("the same name twice")
			}
			return nil
		}, false},
		{"the same namespace", func() error { reg.Namespace("shop", "A shop."); return nil }, false},
		{"visibility", func() error { ns.Restrict(registry.Roles("admin")); return nil }, true},
		{"skill", func() error { return ns.TryAddSkill(skill) }, true},
		{"mount", func() error { return reg.Replace("files", tree()) }, true},
		{"replace", func() error { return reg.Replace("files", tree()) }, true},
		{"unmount", func() error { return reg.Replace("files", nil) }, true},
		{"unavailable", func() error { ns.Unavailable(&registry.Error{Kind: registry.Unavailable}); return nil }, true},
		{"root", func() error { return reg.Replace("", tree()) }, true},
		{"all gone", func() error { return reg.Replace("", nil) }, true},
	} {
		changed := registry.Changed(reg)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		select {
		case <-changed:
			if !step.changes {
				t.Errorf("%s: told without a change", step.name)
			}
		default:
			if step.changes {
				t.Errorf("%s: not told", step.name)
			}
		}
	}
	if registry.Changed(struct{ registry.Source }{reg}) != nil {
		t.Error("a source that does not say when it changes has a channel")
	}
}
