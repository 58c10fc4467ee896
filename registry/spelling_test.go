package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// toolOf returns a function of a tool on another server.
func toolOf(t *testing.T, name, tool string, id toolid.ID, opts ...registry.FuncOption) *registry.Function {
	t.Helper()
	r := registry.Remote{Tool: tool, Handler: func(context.Context, *registry.Call) (*registry.Result, error) { return registry.TextResult(tool), nil }}
	if id != (toolid.ID{}) {
		r.ID = toolid.Primitive{Kind: toolid.Tool, ID: id}
	}
	f, err := registry.RemoteFunc(name, "Do it.", r, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A name leads to the function that is spelled so exactly, or to the only one that fits (gateway surface, section 2.6).
func TestExactSpelling(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("hub", "").Add(
		toolOf(t, "createIssue", "createIssue", toolid.ID{}), toolOf(t, "create_issue_1a2b3c", "create_issue", toolid.ID{}),
		toolOf(t, "get_user", "get-user", toolid.ID{}), toolOf(t, "listAll", "listAll", toolid.ID{}),
		toolOf(t, "open_4d5e6f", "x.open", toolid.ID{}), toolOf(t, "open", "open", toolid.ID{}),
		toolOf(t, "drop", "drop", toolid.ID{}), toolOf(t, "Drop_777777", "Drop", toolid.ID{}, registry.VisibleTo(registry.Roles("staff"))),
	)
	reg.Namespace("far", "").Add( // behind another server, which tells ids
		toolOf(t, "createIssue", "", toolid.ID{Namespace: "hub", Name: "createIssue", Version: "1"}),
		toolOf(t, "create_issue_1a2b3c", "", toolid.ID{Namespace: "hub", Name: "create_issue", Version: "1"}))
	staff := registry.WithCaller(t.Context(), &registry.Caller{ID: "s", Roles: []string{"staff"}})
	for _, tt := range []struct {
		ctx             context.Context
		path, name, fit string // fit is a label; empty is unknown
	}{
		{t.Context(), "hub", "createIssue", "createIssue"},
		{t.Context(), "hub", "create_issue", "create_issue_1a2b3c"},
		{t.Context(), "hub", "Create_Issue_1A2B3C", "create_issue_1a2b3c"},
		{t.Context(), "hub", "CREATEISSUE", ""}, // either
		{t.Context(), "hub", "get-user", "get_user"},
		{t.Context(), "hub", "getUser", "get_user"},
		{t.Context(), "hub", "list_all", "listAll"},
		{t.Context(), "hub", "open", "open"},
		{t.Context(), "hub", "x.open", "open_4d5e6f"},
		{t.Context(), "hub", "DROP", "drop"}, // what is hidden makes nothing ambiguous
		{staff, "hub", "DROP", ""},
		{staff, "hub", "Drop", "Drop_777777"},
		{t.Context(), "far", "createIssue", "createIssue"},
		{t.Context(), "far", "create_issue", "create_issue_1a2b3c"},
		{t.Context(), "far", "createissue", ""},
	} {
		f, err := reg.Function(tt.ctx, tt.path, tt.name)
		switch {
		case tt.fit == "" && (!errors.Is(err, registry.UnknownFunction) || !strings.Contains(err.Error(), "`")):
			t.Errorf("%s.%s is %v, %v", tt.path, tt.name, f, err)
		case tt.fit != "" && (err != nil || f.Name() != tt.fit):
			t.Errorf("%s.%s is %v, %v, want %s", tt.path, tt.name, f, err, tt.fit)
		}
	}
	for path, want := range map[string]string{
		"/hub/create_issue": "create_issue_1a2b3c", "/hub/createissue": "createIssue", "/hub/createissue1a2b3c": "create_issue_1a2b3c",
		"/hub/create__issue": "", "/hub/get-user": "get_user", "/hub/get_user": "get_user", "/hub/list_all": "listAll", "/hub/open": "open",
		"/far/create_issue": "create_issue_1a2b3c",
	} {
		nodes, err := registry.Browse(t.Context(), reg, path)
		if want == "" {
			if !errors.Is(err, registry.UnknownPath) {
				t.Errorf("%s leads to %v, %v", path, nodes, err)
			}
		} else if err != nil || len(nodes) != 1 || nodes[0].Function.Name() != want {
			t.Errorf("%s leads to %v, %v, want %s", path, nodes, err, want)
		}
	}
}

// Two functions with a right to one id both move to others, back when one goes, and without a word
// to those who see only one of them.
func TestContestedIDs(t *testing.T) {
	shared := toolid.ID{Namespace: "files", Name: "read", Version: "1"}
	labelled := func(server string) *registry.Function {
		instead := toolid.Primitive{Kind: toolid.Tool, ID: toolid.ID{Namespace: server, Name: "files.read", Version: "1"}}
		f, err := registry.RemoteFunc("read", "Read.", registry.Remote{
			ID: toolid.Primitive{Kind: toolid.Tool, ID: shared}, Instead: instead,
			Handler: func(context.Context, *registry.Call) (*registry.Result, error) {
				return registry.TextResult(server), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	tree := func(f *registry.Function, v registry.Visibility) *registry.Registry {
		r := registry.New(&registry.Options{VisibleTo: v})
		r.Namespace("", "").Add(f)
		return r
	}
	reg := registry.New(nil)
	mount := func(label string, v registry.Visibility) {
		if err := reg.Replace(label, tree(labelled(label), v)); err != nil {
			t.Fatal(err)
		}
	}
	id := func(ctx context.Context, label string) string {
		f, err := reg.Function(ctx, label, "read")
		if err != nil {
			t.Fatal(err)
		}
		if found, err := registry.Find(ctx, reg, f.Primitive()); err == nil && found != f {
			t.Errorf("%s leads to %s", f.ID(), found.Path())
		}
		_, contested := f.Contested()
		if moved := f.ID() != shared; moved != contested {
			t.Errorf("%s is contested: %v", f.ID(), contested)
		}
		return f.ID().String()
	}
	all := t.Context()
	mount("a", nil)
	if got := id(all, "a"); got != "files:read@1" {
		t.Errorf("got %s", got)
	}
	mount("b", nil)
	if a, b := id(all, "a"), id(all, "b"); a != "a:files.read@1" || b != "b:files.read@1" {
		t.Errorf("got %s and %s", a, b)
	}
	if _, err := registry.Find(all, reg, toolid.Primitive{Kind: toolid.Tool, ID: shared}); !errors.Is(err, registry.UnknownFunction) {
		t.Errorf("the shared id leads to something: %v", err)
	}
	if err := reg.Replace("b", nil); err != nil {
		t.Fatal(err)
	}
	if got := id(all, "a"); got != "files:read@1" {
		t.Errorf("got %s", got)
	}

	staff := registry.WithCaller(all, &registry.Caller{ID: "s", Roles: []string{"staff", "boss"}})
	mount("hidden", registry.Roles("staff"))
	if a, h := id(all, "a"), id(staff, "hidden"); a != "files:read@1" || h != "hidden:files.read@1" {
		t.Errorf("got %s and %s", a, h)
	}
	// Of two that only some see together, neither can tell of the other.
	if err := reg.Replace("a", nil); err != nil {
		t.Fatal(err)
	}
	mount("other", registry.Roles("boss"))
	if h, o := id(staff, "hidden"), id(staff, "other"); h != "files:read@1" || o != h {
		t.Errorf("got %s and %s", h, o)
	}
	_, err := registry.Find(staff, reg, toolid.Primitive{Kind: toolid.Tool, ID: shared})
	if err == nil || !strings.Contains(err.Error(), "`hidden:files.read@1` or `other:files.read@1`") {
		t.Errorf("got %v", err)
	}
	instead := toolid.Primitive{Kind: toolid.Tool, ID: toolid.ID{Namespace: "other", Name: "files.read", Version: "1"}}
	if f, err := registry.Find(staff, reg, instead); err != nil || f.Path() != "other.read" {
		t.Errorf("%s leads to %v, %v", instead, f, err)
	}
	if f, err := registry.Find(registry.WithCaller(all, &registry.Caller{ID: "b", Roles: []string{"boss"}}), reg, instead); err == nil {
		t.Errorf("%s leads to %v", instead, f)
	}

	// An id of a place stays there.
	own := registry.New(nil)
	own.Namespace("orders", "").Add(echo("get"))
	f, _ := own.Function(all, "orders", "get")
	liar := toolOf(t, "get", "", f.ID())
	own.Namespace("liar", "").Add(liar)
	if got, err := registry.Find(all, own, f.Primitive()); err != nil || got.Path() != "orders.get" {
		t.Errorf("%s leads to %v, %v", f.ID(), got, err)
	}
	if g, _ := own.Function(all, "liar", "get"); g.ID().Namespace != "liar" {
		t.Errorf("the other one has the id %s", g.ID())
	}
}
