package endpoint_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// names lists what an endpoint of src lists.
func names(t *testing.T, ctx context.Context, src registry.Source) []string {
	t.Helper()
	document, exit := endpoint.New(src, nil).Answer(ctx, []byte(`{"action":"list_tools"}`))
	if exit != 0 {
		t.Fatalf("%s", document)
	}
	var list struct{ Tools []endpoint.Descriptor }
	if err := json.Unmarshal(document, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list.Tools {
		names = append(names, d.Origin+" "+d.Name)
	}
	return names
}

// TestK10KX5RemoteLast has the tools of an endpoint behind those that run here.
func TestK10KX5RemoteLast(t *testing.T) {
	src := endpoint.Catalog(deadline(t), newRegistry(), newClient(t, "echo", "", nil), nil)
	got := names(t, t.Context(), src)
	if len(got) != 9 || got[8] != "remote echo_external" || slices.ContainsFunc(got[:8], func(n string) bool { return !strings.HasPrefix(n, "local ") }) {
		t.Errorf("%q", got)
	}
	members, exit := ask(t, endpoint.New(src, nil), `{"action":"call_tool","tool":"echo_external","arguments":{"message":"hi"}}`)
	if exit != 0 || string(members["result"]) != `{"echo":"hi"}` {
		t.Errorf("%d %s", exit, members)
	}
	if _, exit := ask(t, endpoint.New(src, nil), `{"action":"call_tool","tool":"orders.list"}`); exit != 0 {
		t.Error("what is local is gone")
	}
	if _, err := src.Skill(t.Context(), "orders", "refund"); err != nil {
		t.Error(err)
	}
}

// TestK10DeadEndpoint is told once, in the log.
func TestK10DeadEndpoint(t *testing.T) {
	for _, mode := range []string{"fail", "write", "does not exist"} {
		log, lines := warnings()
		c := newClient(t, mode, "no JSON", &endpoint.ClientOptions{Logger: log})
		src := endpoint.Catalog(deadline(t), newRegistry(), c)
		if got := names(t, t.Context(), src); len(got) != 8 {
			t.Errorf("%q", got)
		}
		if n := strings.Count(lines.String(), "\n"); n != 1 || !strings.Contains(lines.String(), "WARN") {
			t.Errorf("%s: %s", mode, lines)
		}
	}
}

// TestK22SameNames has names that are there twice.
func TestK22SameNames(t *testing.T) {
	local := registry.New(nil)
	f := registry.Func("echo_External", "Ours.", func(context.Context, struct{}) (string, error) { return "ours", nil }, registry.VisibleTo(registry.Roles("admin")))
	local.Namespace("", "").Add(f, registry.Func("other", "Other.", func(context.Context, struct{}) (string, error) { return "", nil }))
	one, two := newClient(t, "echo", "", nil), newClient(t, "echo", "", nil)
	src := endpoint.Catalog(deadline(t), local, one, two)

	admin := registry.WithCaller(t.Context(), &registry.Caller{ID: "a", Roles: []string{"admin"}})
	want := []string{"local echo_External", "local other", "remote echo_external_1e7bed", "remote echo_external_remote"}
	if got := names(t, admin, src); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	// Who does not see ours finds nothing of it.
	want = []string{"local other", "remote echo_external", "remote echo_external_1e7bed"}
	if got := names(t, t.Context(), src); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	call := func(ctx context.Context, tool, args string) string {
		document, _ := endpoint.New(src, nil).Answer(ctx, []byte(`{"action":"call_tool","tool":"`+tool+`","arguments":`+args+`}`))
		members := checkAnswer(t, document)
		return string(members["result"]) + string(members["error"])
	}
	for _, test := range []struct {
		ctx        context.Context
		tool, args string
		want       string
	}{
		{admin, "echo_External", `{}`, `"ours"`},
		{admin, "echo_external_remote", string(hi), `"echo":"hi"`},
		{admin, "echo_external", `{}`, `"ours"`},
		{t.Context(), "echo_external", string(hi), `"echo":"hi"`},
		{t.Context(), "echo_external_1e7bed", string(hi), `"echo":"hi"`},
		{t.Context(), "echo_external_remote", string(hi), `usage`},
		{t.Context(), "echo_External", `{}`, `usage`},
	} {
		if got := call(test.ctx, test.tool, test.args); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.tool, got)
		}
	}
}
