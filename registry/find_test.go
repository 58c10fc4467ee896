package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// given returns a function that has the id it is given.
func given(t *testing.T, name string, id toolid.Primitive, visible ...registry.FuncOption) *registry.Function {
	t.Helper()
	f, err := registry.RemoteFunc(name, "F.", registry.Remote{ID: id, Handler: func(context.Context, *registry.Call) (*registry.Result, error) {
		return registry.TextResult(name), nil
	}}, visible...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// plainSource has no index of its own.
type plainSource struct{ registry.Source }

// TestW1Find holds that an id leads to the one function that has it, of those
// that the caller sees: what is hidden is absent, and takes nobody's id away. Who sees
// two with a right to an id gets neither by it.
// Two open functions both move to other ids.
func TestW1Find(t *testing.T) {
	id := func(kind toolid.Kind, name string) toolid.Primitive {
		return toolid.Primitive{Kind: kind, ID: toolid.ID{Namespace: "x", Name: name, Version: "1"}}
	}
	staff := registry.VisibleTo(registry.Roles("staff"))
	reg := registry.New(nil)
	reg.Namespace("a", "").Add(given(t, "open", id(toolid.Tool, "open")), given(t, "twice", id(toolid.Tool, "twice")),
		given(t, "shadowed", id(toolid.Tool, "shadowed")), given(t, "prompt", id(toolid.Prompt, "open")), echo("own"))
	reg.Namespace("b", "").Add(given(t, "twice", id(toolid.Tool, "twice")), given(t, "hidden", id(toolid.Tool, "hidden"), staff))
	reg.Namespace("c", "", staff).Add(given(t, "shadow", id(toolid.Tool, "shadowed")))
	own, err := reg.Function(t.Context(), "a", "own")
	if err != nil {
		t.Fatal(err)
	}
	nobody := t.Context()
	insider := registry.WithCaller(nobody, &registry.Caller{ID: "x", Roles: []string{"staff"}})
	for _, tt := range []struct {
		id               toolid.Primitive
		nobody, insiders string // paths; empty is unknown
	}{
		{id(toolid.Tool, "open"), "a.open", "a.open"},
		{id(toolid.Prompt, "open"), "a.prompt", "a.prompt"},
		{own.Primitive(), "a.own", "a.own"},
		{id(toolid.Tool, "twice"), "", ""},
		{id(toolid.Tool, "shadowed"), "a.shadowed", ""}, // it was that of the one for staff, which has moved
		{id(toolid.Tool, "hidden"), "", "b.hidden"},
		{id(toolid.Resource, "open"), "", ""},
		{id(toolid.Tool, "never"), "", ""},
		{toolid.Primitive{}, "", ""},
	} {
		for ctx, want := range map[context.Context]string{nobody: tt.nobody, insider: tt.insiders} {
			for _, src := range []registry.Source{reg, plainSource{reg}, registry.NewPipeline(reg, nil).Source()} {
				f, err := registry.Find(ctx, src, tt.id)
				if want == "" {
					if f != nil || !errors.Is(err, registry.UnknownFunction) {
						t.Errorf("%s leads to %v, %v", tt.id, f, err)
					}
				} else if err != nil || f.Path() != want {
					t.Errorf("%s leads to %v, %v, want %s", tt.id, f, err, want)
				}
			}
		}
	}
	_, hidden := registry.Find(nobody, reg, id(toolid.Tool, "hidden"))
	_, never := registry.Find(nobody, reg, id(toolid.Tool, "zidden"))
	if strings.ReplaceAll(hidden.Error(), "hidden", "zidden") != never.Error() {
		t.Errorf("hidden is %v, and absent %v", hidden, never)
	}
}

// What cannot be had at the moment says so, and not that it is unknown.
func TestFindUnavailable(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("down", "").Unavailable(&registry.Error{Kind: registry.Unavailable, Message: "Away."})
	reg.Namespace("secret", "", registry.VisibleTo(registry.Roles("staff"))).Unavailable(&registry.Error{Kind: registry.Unavailable, Message: "Away."})
	for namespace, kind := range map[string]registry.Kind{"down": registry.Unavailable, "secret": registry.UnknownFunction, "up": registry.UnknownFunction} {
		id := toolid.Primitive{Kind: toolid.Tool, ID: toolid.ID{Namespace: namespace, Name: "f", Hash: "00000000"}}
		if _, err := registry.Find(t.Context(), reg, id); !errors.Is(err, kind) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestW30DryRun holds that a dry run tells what a call would meet and runs nothing,
// and that what keeps a call from running keeps a dry run too.
func TestW30DryRun(t *testing.T) {
	ran := 0
	f := registry.Func("pay", "Pay.", func(_ context.Context, in pair[int, string]) (string, error) { ran++; return in.B, nil }, registry.Destructive(true))
	reg := registry.New(nil)
	reg.Namespace("a", "").Add(f)
	var order []string
	p := registry.NewPipeline(reg, &registry.PipelineOptions{ExactKeys: true, Middleware: []registry.Middleware{
		func(next registry.Handler) registry.Handler {
			return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
				if order = append(order, "policy"); c.Plan != nil {
					c.Plan.Checks = append(c.Plan.Checks, registry.PlanCheck{Name: "policy", Status: "pass"})
				}
				return next(ctx, c)
			}
		},
	}})
	call := func(args string, dry bool) (*registry.Result, error) {
		return p.Call(t.Context(), &registry.Request{Namespace: "a", Function: "pay", Arguments: json.RawMessage(args), DryRun: dry})
	}
	r, err := call(`{"a":1,"b":"x"}`, true)
	if err != nil || ran != 0 || !slices.Equal(order, []string{"policy"}) {
		t.Fatalf("a dry run: %v, %d runs, %v", err, ran, order)
	}
	var report struct {
		DryRun      bool            `json:"dry_run"`
		ID          string          `json:"tool_id"`
		ArgsValid   bool            `json:"args_valid"`
		Annotations map[string]bool `json:"annotations"`
		Checks      []registry.PlanCheck
	}
	if err := json.Unmarshal([]byte(r.Text()), &report); err != nil {
		t.Fatal(err)
	}
	registered, err := reg.Function(t.Context(), "a", "pay")
	if err != nil {
		t.Fatal(err)
	}
	if !report.DryRun || !report.ArgsValid || report.ID != registered.ID().String() || !slices.Equal(report.Checks, []registry.PlanCheck{
		{Name: "schema_validation", Status: "pass"}, {Name: "policy", Status: "pass"}, {Name: "approval", Status: "not_configured"},
		{Name: "rate_limit", Status: "not_configured"}, {Name: "plan_token", Status: "not_configured"},
	}) ||
		!report.Annotations["destructiveHint"] || report.Annotations["verified"] || report.Annotations["readOnlyHint"] {
		t.Errorf("the report is %s", r.Text())
	}
	for _, args := range []string{`{"a":"x"}`, `{"A":1,"b":"x"}`, `{"a":1,"b":"x","a":2}`, `[]`, `{`} {
		if _, err := call(args, true); !errors.Is(err, registry.InvalidArguments) || ran != 0 {
			t.Errorf("%s: %v, %d runs", args, err, ran)
		}
	}
	if r, err := call(`{"a":1,"b":"x"}`, false); err != nil || ran != 1 || r.Text() != "x" {
		t.Errorf("the call: %v, %v, %d runs", r, err, ran)
	}
}

// TestIDsFreeOldSearchIndex holds that a registry that is searched and changes does not keep an index from the time when
// somebody last asked for an id.
func TestIDsFreeOldSearchIndex(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("a", "").Add(tool("one", "Do one."))
	for n := range 2 {
		reg.Search(t.Context(), "one", 1)
		for f := range reg.All() {
			if got, err := reg.FunctionByID(t.Context(), f.Primitive()); err != nil || got != f {
				t.Fatalf("%s is %v, %v", f.Primitive(), got, err)
			}
		}
		reg.Search(t.Context(), "one", 1)
		if registry.KeepsIndex(reg) {
			t.Error("an index is kept with the ids")
		}
		reg.Namespace("b", "").Add(tool("two"+strconv.Itoa(n), "Do two."))
	}
}
