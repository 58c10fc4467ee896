package gateway_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestS45DryRun holds that a dry run reports what a call would meet and does
// nothing.
func TestS45DryRun(t *testing.T) {
	s := newShop()
	quota := control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{"orders.cancel": {PerSession: 1}}})
	srv := gateway.NewServer(s, &gateway.Options{
		Serve: serve.Options{Controls: &control.Controls{Quota: quota, Plans: control.NewPlans(&control.PlanOptions{
			Require: func(c *registry.Call) bool { return c.Function.Destructive() },
		})}},
		Firewall: firewall.New(&firewall.Options{Store: limitedStore(firewall.ErrFull)}), // a dry run keeps nothing
	})
	c := inMemory(t, srv, nil)
	id := s.id(t, "orders.cancel")
	var report struct {
		DryRun      bool   `json:"dry_run"`
		ToolID      string `json:"tool_id"`
		Upstream    string `json:"upstream_name"`
		ArgsValid   bool   `json:"args_valid"`
		Annotations map[string]bool
		Checks      []struct{ Name, Status string }
		Token       string `json:"plan_token"`
	}
	for range 3 {
		c.Tool("tool_execute", object{"tool_id": id, "args": object{"id": "7"}, "dry_run": true}).Decode(&report)
	}
	if !report.DryRun || report.ToolID != id || report.Upstream != "cancel" || !report.ArgsValid || report.Token == "" {
		t.Errorf("report %+v", report)
	}
	if v, ok := report.Annotations["verified"]; !ok || v || !report.Annotations["destructiveHint"] {
		t.Errorf("annotations %v", report.Annotations)
	}
	var checks []string
	for _, check := range report.Checks {
		checks = append(checks, check.Name+"="+check.Status)
	}
	if got := strings.Join(checks, " "); !strings.Contains(got, "schema_validation=pass") || !strings.Contains(got, "rate_limit=pass") {
		t.Errorf("checks %s", got)
	}
	wantCode(t, c.Tool("tool_execute", object{"tool_id": id, "args": object{"id": 7}, "dry_run": true}), gateway.ArgsInvalid)
	if n := s.runs.Load(); n != 0 {
		t.Errorf("%d dry runs reached the function", n)
	}
}

// TestS45Plan holds that a token lets the call that was planned through once.
func TestS45Plan(t *testing.T) {
	s := newShop()
	srv := gateway.NewServer(s, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Plans: control.NewPlans(&control.PlanOptions{
		Require: func(c *registry.Call) bool { return c.Function.Destructive() },
	})}}})
	id := s.id(t, "orders.cancel")
	overAllOf(t, srv, named("mira"), func(t *testing.T, c *cashtest.Client) {
		wantCode(t, c.Tool("tool_execute", object{"tool_id": id, "args": object{"id": "7"}}), gateway.ArgsInvalid)
		var report struct {
			Token string `json:"plan_token"`
		}
		c.Tool("tool_execute", object{"tool_id": id, "args": object{"id": "7"}, "dry_run": true}).Decode(&report)
		wantCode(t, c.Tool("tool_execute", object{"tool_id": id, "args": object{"id": "8"}, "plan_token": report.Token}), gateway.ArgsInvalid)
		before := s.runs.Load()
		c.Tool("tool_execute", object{"tool_id": id, "args": object{"id": "7"}, "plan_token": report.Token}).OK()
		wantCode(t, c.Tool("tool_execute", object{"tool_id": id, "args": object{"id": "7"}, "plan_token": report.Token}), gateway.ArgsInvalid)
		if n := s.runs.Load() - before; n != 1 {
			t.Errorf("%d runs", n)
		}
	})
}

// overAllOf runs a test over all links to one server.
func overAllOf(t *testing.T, srv *gateway.Server, caller *registry.Caller, test func(*testing.T, *cashtest.Client)) {
	t.Helper()
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) { test(t, l.Connect(t, srv, caller, nil)) })
	}
}

// TestS45Quota holds that limits are per caller, tool and function, and that
// what they refuse is not run.
func TestS45Quota(t *testing.T) {
	s := newShop()
	srv := gateway.NewServer(s, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Quota: control.NewQuota(&control.QuotaOptions{
		Tools: map[string]control.Limit{"orders.list": {PerSession: 2}},
		Meta:  map[string]control.Limit{"tool_browse": {PerMinute: 3}, "tool_execute": {PerSession: 5}, "tool_view": {PerSession: 1}},
	})}}})
	for _, who := range []string{"ann", "bob"} {
		before := s.runs.Load()
		c := inMemory(t, srv, named(who))
		var codes []gateway.Code
		for range 4 {
			codes = append(codes, codeOf(t, c.Tool("tool_browse", object{"path": "/"})))
		}
		for range 3 {
			codes = append(codes, codeOf(t, c.Tool("tool_execute", object{"tool_id": s.id(t, "orders.list")})))
		}
		for range 4 {
			codes = append(codes, codeOf(t, c.Tool("tool_execute", object{"tool_id": s.id(t, "ping")})))
		}
		for range 2 {
			codes = append(codes, codeOf(t, c.Tool("tool_view", object{"handle": "x"})))
		}
		want := []gateway.Code{"", "", "", "RATE_LIMITED", "", "", "RATE_LIMITED", "", "", "", "RATE_LIMITED", "VIEW_FAILED", "RATE_LIMITED"}
		if !slices.Equal(codes, want) || s.runs.Load()-before != 5 {
			t.Errorf("%s: %v after %d runs, want %v", who, codes, s.runs.Load()-before, want)
		}
		wantCode(t, c.Tool("tool_execute", object{"tool_id": "skill::orders:restock#" + hashOf(t, "orders", "restock")}), gateway.RateLimited)
		var details struct {
			Scope      string
			RetryAfter *int64 `json:"retry_after"`
		}
		e := wantCode(t, c.Tool("tool_browse", object{"path": "/"}), gateway.RateLimited)
		if err := json.Unmarshal(e.Details, &details); err != nil || details.Scope != "tool_browse" || details.RetryAfter == nil || !e.Retryable {
			t.Errorf("details %s", e.Details)
		}
	}
}

// TestS45QuotaSkill holds that reading a skill counts once, and that there is no dry
// run of it.
func TestS45QuotaSkill(t *testing.T) {
	s := newShop()
	srv := gateway.NewServer(s, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Quota: control.NewQuota(&control.QuotaOptions{
		Meta: map[string]control.Limit{"tool_execute": {PerSession: 2}},
	})}}})
	c := inMemory(t, srv, named("ann"))
	args := object{"tool_id": "skill::orders:restock#" + hashOf(t, "orders", "restock")}
	wantCode(t, c.Tool("tool_execute", object{"tool_id": args["tool_id"], "dry_run": true}), gateway.ArgsInvalid)
	for i, want := range []gateway.Code{"", "", gateway.RateLimited} {
		if got := codeOf(t, c.Tool("tool_execute", args)); got != want {
			t.Errorf("reading %d: code %q, want %q", i+1, got, want)
		}
	}
}

// TestS45DryRunStructured holds that the report stands there too with Structured.
func TestS45DryRunStructured(t *testing.T) {
	s := newShop()
	c := inMemory(t, gateway.NewServer(s, &gateway.Options{Structured: true}), nil)
	r := c.Tool("tool_execute", object{"tool_id": s.id(t, "ping"), "dry_run": true}).OK()
	if !sameJSON(r.Text, toJSON(r.Raw.StructuredContent)) {
		t.Errorf("%s is not %s", toJSON(r.Raw.StructuredContent), r.Text)
	}
}

// codeOf returns the code of a reply, "" if it is no error.
func codeOf(t testing.TB, r *cashtest.Reply) gateway.Code {
	t.Helper()
	if !r.IsError {
		return ""
	}
	return errorOf(t, r).Code
}

// TestS45Cache holds that the cache is switched on by the operator alone, answers
// its own caller only, says so, and is empty after a refresh (W36).
func TestS45Cache(t *testing.T) {
	s := newShop()
	cache := control.NewCache(&control.CacheOptions{ReadOnly: true})
	srv := gateway.NewServer(s, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Cache: cache}}})
	list, create := s.id(t, "orders.list"), s.id(t, "orders.create")
	ann, bob := inMemory(t, srv, named("ann")), inMemory(t, srv, named("bob"))
	for _, step := range []struct {
		c    *cashtest.Client
		id   string
		args object
		hit  bool
	}{
		{ann, list, nil, false}, {ann, list, nil, true}, {ann, list, object{}, true}, {bob, list, nil, false}, {bob, list, nil, true},
		{ann, create, object{"customer": "c", "quantity": 1}, false}, {ann, create, object{"customer": "c", "quantity": 1}, false},
	} {
		before := s.runs.Load()
		e := execute(t, step.c, step.id, step.args)
		if hit := e.Provenance["cache_hit"] == true; hit != step.hit || (s.runs.Load() == before) != step.hit {
			t.Errorf("%s: hit %t, want %t", step.id, hit, step.hit)
		}
	}
	if _, err := srv.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := execute(t, ann, list, nil); e.Provenance["cache_hit"] != nil {
		t.Error("a result outlives a refresh")
	}
	off := inMemory(t, gateway.NewServer(s, nil), named("ann"))
	execute(t, off, list, nil)
	if e := execute(t, off, list, nil); e.Provenance["cache_hit"] != nil {
		t.Error("the cache is on by itself")
	}
}

// TestS45Retry holds that only what surely has not run is tried again, or what the
// operator says may be (W34).
func TestS45Retry(t *testing.T) {
	reg := registry.New(nil)
	var tries atomic.Int64
	failing := func(e registry.Error, until int64) registry.Handler {
		return func(context.Context, *registry.Call) (*registry.Result, error) {
			if tries.Add(1) < until {
				return nil, &e
			}
			return registry.TextResult("done"), nil
		}
	}
	raw(reg, "r", "before", failing(registry.Error{Kind: registry.Unavailable, Message: "Down.", NotRun: true}, 3))
	raw(reg, "r", "after", failing(registry.Error{Kind: registry.Unavailable, Message: "Down."}, 3))
	raw(reg, "r", "promised", failing(registry.Error{Kind: registry.TimedOut, Message: "Slow."}, 3))
	raw(reg, "r", "answer", func(context.Context, *registry.Call) (*registry.Result, error) {
		tries.Add(1)
		return &registry.Result{Content: []mcp.Content{&mcp.TextContent{Text: "no"}}, IsError: true}, nil
	})
	srv := gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Retry: &control.Retry{
		MaxAttempts: 3, BaseDelay: time.Nanosecond, Idempotent: func(f *registry.Function) bool { return f.Name() == "promised" },
	}}}})
	c := inMemory(t, srv, nil)
	for _, tt := range []struct {
		name  string
		tries int64
		fails bool
	}{{"before", 3, false}, {"after", 1, true}, {"promised", 3, false}, {"answer", 1, true}} {
		tries.Store(0)
		r := c.Tool("tool_execute", object{"tool_id": idOf(t, reg, "r."+tt.name)})
		if tries.Load() != tt.tries || r.IsError != tt.fails {
			t.Errorf("%s: %d tries, error %t: %s", tt.name, tries.Load(), r.IsError, r.Text)
		}
	}
}

// TestW30Order holds that what comes first is answered first, and that nothing of
// what comes later happens then.
func TestW30Order(t *testing.T) {
	s := newShop()
	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Tools: []string{"orders.cancel"}}}})
	quota := control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{"orders.cancel": {PerSession: -1}, "orders.create": {PerSession: -1}}})
	srv := gateway.NewServer(s, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Policy: policy, Quota: quota}, Repair: true}})
	c := inMemory(t, srv, nil)
	cancel, create := s.id(t, "orders.cancel"), s.id(t, "orders.create")
	for _, tt := range []struct {
		args object
		want gateway.Code
	}{
		{object{"tool_id": "orders:cancel#00000000", "args": object{}}, gateway.HydrateFailed},             // hydration before all
		{object{"tool_id": cancel, "args": object{}}, gateway.ArgsInvalid},                                 // validation before policy
		{object{"tool_id": cancel, "args": `{"id":"7"}`}, gateway.PermissionDenied},                        // repair before validation, policy before quota
		{object{"tool_id": create, "args": object{"customer": "c", "quantity": "2"}}, gateway.RateLimited}, // quota
	} {
		wantCode(t, c.Tool("tool_execute", tt.args), tt.want)
	}
	// A dry run reports all of that, and is no error.
	r := c.Tool("tool_execute", object{"tool_id": cancel, "args": object{"id": "7"}, "dry_run": true}).OK()
	for _, want := range []string{
		`{"name":"schema_validation","status":"pass"},{"name":"policy","status":"fail","message":`, `{"name":"approval","status":"not_required"},{"name":"rate_limit","status":"fail","message":`,
		`{"name":"plan_token","status":"not_configured"}]`,
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the report is %s; want %s", r.Text, want)
		}
	}
	if s.runs.Load() != 0 {
		t.Error("something ran")
	}
}
