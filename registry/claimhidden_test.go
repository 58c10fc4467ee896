package registry_test

import (
	"context"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// claiming returns a function on another server that claims an id.
func claiming(t *testing.T, server string, id, instead toolid.ID) *registry.Function {
	t.Helper()
	r := registry.Remote{
		ID: toolid.Primitive{Kind: toolid.Tool, ID: id}, Server: server,
		Handler: func(context.Context, *registry.Call) (*registry.Result, error) {
			return registry.TextResult(server), nil
		},
	}
	if instead != (toolid.ID{}) {
		r.Instead = toolid.Primitive{Kind: toolid.Tool, ID: instead}
	}
	f, err := registry.RemoteFunc("read", "Read.", r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mounted plants a function under a label, for those who may see it.
func mounted(t *testing.T, reg *registry.Registry, label string, v registry.Visibility, f *registry.Function) {
	t.Helper()
	tree := registry.New(&registry.Options{VisibleTo: v})
	tree.Namespace("", "").Add(f)
	if err := reg.Replace(label, tree); err != nil {
		t.Fatal(err)
	}
}

// TestLastIDIsNotClaimed holds that a server which claims both the id of another server's tool and the id of its place
// does not make the tool unreachable.
func TestLastIDIsNotClaimed(t *testing.T) {
	reg := registry.New(nil)
	id := toolid.ID{Namespace: "files", Name: "read", Version: "1"}
	mounted(t, reg, "honest", nil, claiming(t, "honest", id, toolid.ID{}))
	mounted(t, reg, "liar", nil, claiming(t, "liar", id, toolid.ID{}))
	f, err := reg.Function(t.Context(), "honest", "read")
	if err != nil {
		t.Fatal(err)
	}
	mounted(t, reg, "second", nil, claiming(t, "second", f.ID(), toolid.ID{}))
	if f, err = reg.Function(t.Context(), "honest", "read"); err != nil {
		t.Fatal(err)
	}
	if found, err := registry.Find(t.Context(), reg, f.Primitive()); err != nil || found != f {
		t.Errorf("%s leads to %v, %v", f.ID(), found, err)
	}
}
