package facade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestF12Tools goes through the commands of ToolsExecute.
func TestF12Tools(t *testing.T) {
	s := newShop()
	c := inMemory(t, facade.NewServer(s, &facade.Options{Tools: true}), nil)
	want := "list(query?, namespace?, limit?): |get(name): |validate(name, arguments?): |execute(name, arguments?) [destructive]: "
	if got := toolNamed(c, "ToolsExecute").Description; !containsAll(got, strings.Split(want, "|")...) {
		t.Errorf("description %s", got)
	}
	e := okOf(t, c, "ToolsExecute", object{"cmd": "list", "detail": "minimal", "params": object{"namespace": "orders"}})
	if string(e.Data) != `[{"name":"orders.boom"},{"name":"orders.cancel"},{"name":"orders.create"},{"name":"orders.get"},{"name":"orders.list"},{"name":"orders.retail.refund"}]` {
		t.Errorf("list %s", e.text)
	}
	e = okOf(t, c, "ToolsExecute", object{"cmd": "list", "params": object{"query": "pay money back", "limit": 1}})
	if !strings.HasPrefix(string(e.Data), `[{"name":"orders.retail.refund","description":"Pay money back.","safety":"writes"}]`) || *e.Count < 1 {
		t.Errorf("list %s", e.text)
	}
	if e := okOf(t, c, "ToolsExecute", object{"cmd": "list", "params": object{"query": "zzzzqqqq"}}); string(e.Data) != "[]" || *e.Count != 0 {
		t.Errorf("list %s", e.text)
	}
	for _, params := range []object{{"namespace": "no"}, {"namespace": "no", "query": "order"}} {
		if e := failedOf(t, c, "ToolsExecute", object{"cmd": "list", "params": params}); !strings.Contains(e.Error, "No namespace `no`") {
			t.Errorf("list %s", e.text)
		}
	}
	for _, limit := range []int{0, -1, 201} {
		failedOf(t, c, "ToolsExecute", object{"cmd": "list", "params": object{"limit": limit}})
	}
	e = okOf(t, c, "ToolsExecute", object{"cmd": "get", "params": object{"name": "orders.cancel"}})
	if !containsAll(e.text, `"name":"orders.cancel"`, `"safety":"destructive"`, `"inputSchema":{`, `"order_id"`) {
		t.Errorf("get %s", e.text)
	}
	for args, want := range map[string]string{
		`{"order_id":"x"}`:  `{"name":"orders.cancel","valid":true}`,
		`{"order_id":7}`:    `{"name":"orders.cancel","valid":false,"reason":"Invalid arguments: `,
		`{"Order_ID":"x"}`:  `"valid":false`,
		`{}`:                `order_id (string, required)`,
		`{"order_id":null}`: `"valid":false`,
	} {
		e := okOf(t, c, "ToolsExecute", json.RawMessage(`{"cmd":"validate","params":{"name":"ORDERS.cancel","arguments":`+args+`}}`))
		if !strings.Contains(string(e.Data), want) {
			t.Errorf("validate %s: %s", args, e.text)
		}
	}
	if n := s.runs.Load(); n != 0 {
		t.Errorf("%d functions have run", n)
	}
	e = okOf(t, c, "ToolsExecute", object{"cmd": "execute", "params": object{"name": "orders.cancel", "arguments": object{"order_id": "x"}}})
	if string(e.Data) != `"cancelled x"` || s.runs.Load() != 1 {
		t.Errorf("execute %s", e.text)
	}
	if e := failedOf(t, c, "ToolsExecute", object{"cmd": "execute", "params": object{"name": "orders.cancel"}}); !strings.Contains(e.Error, "Parameters of orders.cancel: order_id") {
		t.Errorf("execute %s", e.text)
	}
	for _, name := range []string{"", "no", "orders", "orders.", ".ping", "order_s.cancel", "ordersCancel", " ping", "tools.list", "tools.execute", "orders.cancel\n", "\x1b[31m"} {
		for _, cmd := range []string{"get", "validate", "execute"} {
			e := failedOf(t, c, "ToolsExecute", object{"cmd": cmd, "params": object{"name": name}})
			if !strings.HasPrefix(e.Error, "Unknown tool: ") || strings.Contains(e.text, `\u001b`) {
				t.Errorf("%s %q: %s", cmd, name, e.text)
			}
		}
	}
	okOf(t, c, "ToolsExecute", object{"cmd": "execute", "params": object{"name": "ping"}})
}

// TestF9ToolsCount holds that all that fit are counted, not only those that are
// looked at.
func TestF9ToolsCount(t *testing.T) {
	reg := registry.New(nil)
	for i := range 1500 {
		reg.Namespace("n", "").Add(registry.Func(fmt.Sprintf("paint_%d", i), "Paint.", func(context.Context, struct{}) (int, error) { return i, nil }))
	}
	c := inMemory(t, facade.NewServer(reg, &facade.Options{Tools: true}), nil)
	for _, params := range []object{{"limit": 2}, {"limit": 2, "query": "paint"}} {
		e := okOf(t, c, "ToolsExecute", object{"cmd": "list", "detail": "minimal", "params": params})
		if *e.Count != 1500 || strings.Count(string(e.Data), `"name"`) != 2 {
			t.Errorf("%v: %s", params, e.text)
		}
	}
}

func containsAll(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// TestF12Search goes through SearchExecute, whose functions may do anything.
func TestF12Search(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	many := make([]facade.Hit, 30)
	for i := range many {
		many[i] = facade.Hit{ID: fmt.Sprint(i), Title: "A page", URL: "https://example.org/", Text: strings.Repeat("word ", 200), Score: math.NaN()}
	}
	srv := facade.NewServer(newShop(), &facade.Options{Serve: serve.Options{Timeout: 1e8}, Search: map[string]facade.SearchFunc{
		"web": func(_ context.Context, query string, limit int) ([]facade.Hit, error) {
			if query != "some words" || limit != 3 {
				return nil, fmt.Errorf("%q and %d", query, limit)
			}
			return many, nil
		},
		"semantic": func(context.Context, string, int) ([]facade.Hit, error) { panic("x") },
		"hybrid":   func(context.Context, string, int) ([]facade.Hit, error) { <-release; return nil, nil },
		"nothing":  func(context.Context, string, int) ([]facade.Hit, error) { return nil, nil },
		"away": func(context.Context, string, int) ([]facade.Hit, error) {
			return nil, &registry.Error{Kind: registry.Unavailable, Message: "The index is being made."}
		},
		"fails": func(context.Context, string, int) ([]facade.Hit, error) { return nil, errors.New("no index") },
		"caller": func(ctx context.Context, _ string, _ int) ([]facade.Hit, error) {
			return []facade.Hit{{Title: registry.CallerFrom(ctx).ID}}, nil
		},
	}})
	c := inMemory(t, srv, named("mira"))
	e := okOf(t, c, "SearchExecute", object{"cmd": "web", "detail": "minimal", "params": object{"query": "some words", "limit": 3}})
	if want := `[{"id":"0","title":"A page"},{"id":"1","title":"A page"},{"id":"2","title":"A page"}]`; string(e.Data) != want || *e.Count != 30 {
		t.Errorf("web %s", e.text)
	}
	standard := okOf(t, c, "SearchExecute", object{"cmd": "web", "params": object{"query": "some words", "limit": 3}})
	full := okOf(t, c, "SearchExecute", object{"cmd": "web", "detail": "full", "params": object{"query": "some words", "limit": 3}})
	if len(standard.text) > 1500 || len(full.text) < 3000 || !strings.Contains(standard.text, "word…") {
		t.Errorf("standard %s\nfull %d bytes", standard.text, len(full.text))
	}
	if e := okOf(t, c, "SearchExecute", object{"cmd": "nothing", "params": object{"query": "x"}}); string(e.Data) != "[]" || *e.Count != 0 {
		t.Errorf("nothing %s", e.text)
	}
	if e := okOf(t, c, "SearchExecute", object{"cmd": "caller", "params": object{"query": "x"}}); string(e.Data) != `[{"title":"mira"}]` {
		t.Errorf("caller %s", e.text)
	}
	if e := okOf(t, c, "SearchExecute", object{"cmd": "tools", "params": object{"query": "refund"}}); !strings.Contains(e.text, `"orders.retail.refund"`) {
		t.Errorf("tools %s", e.text)
	}
	for cmd, want := range map[string]string{"semantic": "failed unexpectedly", "hybrid": "did not answer", "fails": "no index", "away": "`search.away` is unavailable. The index is being made.", "missing": "Unknown command: missing"} {
		if e := failedOf(t, c, "SearchExecute", object{"cmd": cmd, "params": object{"query": "x"}}); !strings.Contains(e.Error, want) {
			t.Errorf("%s: %s", cmd, e.text)
		}
	}
	for _, params := range []object{nil, {"query": ""}, {"query": "x", "limit": 0}, {"query": "x", "limit": 101}} {
		if e := failedOf(t, c, "SearchExecute", object{"cmd": "web", "params": params}); !strings.Contains(e.Error, "Parameters of web: query") {
			t.Errorf("%v: %s", params, e.text)
		}
	}
}

// TestF12Hides holds that a namespace of the caller's own wins over a built-in
// domain, for those who see it.
func TestF12Hides(t *testing.T) {
	var log bytes.Buffer
	reg := registry.New(nil)
	says := func(context.Context, struct{}) (string, error) { return "mine", nil }
	reg.Namespace("Tools", "Hammers.", registry.VisibleTo(registry.Roles("boss"))).Add(registry.Func("list", "", says))
	reg.Namespace("orders", "").Add(registry.Func("list", "", says))
	srv := facade.NewServer(reg, &facade.Options{Tools: true, Search: map[string]facade.SearchFunc{}, Serve: serve.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}})
	boss, clerk := inMemory(t, srv, named("max", "boss")), inMemory(t, srv, named("eve"))
	for range 3 {
		if got := namesOf(boss.Tools()); got != "OrdersExecute SearchExecute ToolsExecute" {
			t.Errorf("tools %s", got)
		}
	}
	if e := okOf(t, boss, "ToolsExecute", object{"cmd": "list"}); string(e.Data) != `"mine"` {
		t.Errorf("boss: %s", e.text)
	}
	if e := okOf(t, clerk, "ToolsExecute", object{"cmd": "list", "detail": "minimal"}); string(e.Data) != `[{"name":"orders.list"}]` {
		t.Errorf("clerk: %s", e.text)
	}
	if n := strings.Count(log.String(), "hides a built-in domain"); n != 1 {
		t.Errorf("logged %d times: %s", n, log.String())
	}
}

// TestControls holds that controls see the function behind a command, by whichever
// tool it is called (section 4.5 of the gateway surface).
func TestControls(t *testing.T) {
	s := newShop()
	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Classes: []control.Class{control.Destructive}, Decision: control.Deny}}})
	quota := control.NewQuota(&control.QuotaOptions{
		Tools: map[string]control.Limit{"orders.list": {PerSession: 2}},
		Meta:  map[string]control.Limit{"StockExecute": {PerSession: 1}, "ToolsExecute": {PerSession: 6}},
	})
	var audit bytes.Buffer
	srv := facade.NewServer(s, &facade.Options{Tools: true, Serve: serve.Options{Controls: &control.Controls{
		Policy: policy, Quota: quota, Audit: &control.Audit{Logger: slog.New(slog.NewJSONHandler(&audit, nil))},
	}}})
	c := inMemory(t, srv, named("mira"))
	cancel := object{"name": "orders.cancel", "arguments": object{"order_id": "x"}}
	for tool, args := range map[string]object{
		"OrdersExecute": {"cmd": "cancel", "params": object{"order_id": "x"}},
		"ToolsExecute":  {"cmd": "execute", "params": cancel},
	} {
		r := c.Tool(tool, args)
		if e := envelopeOf(t, r); e.OK || r.Raw.Meta[registry.MetaCode] != string(registry.Denied) {
			t.Errorf("%s: %s %v", tool, e.text, r.Raw.Meta)
		}
	}
	okOf(t, c, "OrdersExecute", object{"cmd": "list"})
	okOf(t, c, "ToolsExecute", object{"cmd": "execute", "params": object{"name": "orders.list"}})
	for range 2 {
		r := c.Tool("OrdersExecute", object{"cmd": "list"})
		if e := envelopeOf(t, r); e.OK || r.Raw.Meta[registry.MetaCode] != string(registry.RateLimited) {
			t.Errorf("%s", e.text)
		}
	}
	okOf(t, c, "StockExecute", object{"cmd": "count"})
	if e := failedOf(t, c, "StockExecute", object{"cmd": "count"}); !strings.Contains(e.Error, "StockExecute") {
		t.Errorf("%s", e.text)
	}
	okOf(t, c, "ToolsExecute", object{"cmd": "list"})
	for i := range 10 { // what was refused above has not counted
		if e := envelopeOf(t, c.Tool("ToolsExecute", object{"cmd": "list"})); e.OK != (i < 4) {
			t.Errorf("%d: %s", i, e.text)
		}
	}
	if s.runs.Load() != 3 || !containsAll(audit.String(), "orders:cancel", "orders:list", "stock:count") {
		t.Errorf("%d runs, audit %s", s.runs.Load(), audit.String())
	}
}

// TestControlsInside holds that a search that calls a command with its own context does not take it past the controls.
func TestControlsInside(t *testing.T) {
	s := newShop()
	var srv *facade.Server
	srv = facade.NewServer(s, &facade.Options{
		Serve: serve.Options{Controls: &control.Controls{Policy: control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny}}})}},
		Search: map[string]facade.SearchFunc{"web": func(ctx context.Context, _ string, _ int) ([]facade.Hit, error) {
			r := srv.Execute(ctx, "stock", &facade.Request{Cmd: "count"})
			return []facade.Hit{{Title: fmt.Sprint(r.OK)}}, nil
		}},
	})
	e := okOf(t, inMemory(t, srv, nil), "SearchExecute", object{"cmd": "web", "params": object{"query": "x"}})
	if string(e.Data) != `[{"title":"false"}]` || s.runs.Load() != 0 {
		t.Errorf("%s, %d runs", e.text, s.runs.Load())
	}
}

// TestPlans holds that dry runs and their tokens go through, where there are plans.
func TestPlans(t *testing.T) {
	s := newShop()
	srv := facade.NewServer(s, &facade.Options{Tools: true, Serve: serve.Options{Controls: &control.Controls{Plans: control.NewPlans(&control.PlanOptions{
		Require: func(c *registry.Call) bool { return c.Function.Destructive() },
	})}}})
	c := inMemory(t, srv, named("mira"))
	if schema := toJSON(toolNamed(c, "OrdersExecute").InputSchema); !containsAll(schema, "dry_run", "plan_token") {
		t.Errorf("schema %s", schema)
	}
	for tool, request := range map[string]object{
		"OrdersExecute": {"cmd": "cancel", "params": object{"order_id": "x"}},
		"ToolsExecute":  {"cmd": "execute", "params": object{"name": "orders.cancel", "arguments": object{"order_id": "x"}}},
	} {
		before := s.runs.Load()
		failedOf(t, c, tool, request)
		request["dry_run"] = true
		var plan struct {
			Token string `json:"plan_token"`
		}
		if err := json.Unmarshal(okOf(t, c, tool, request).Data, &plan); err != nil || plan.Token == "" || s.runs.Load() != before {
			t.Fatalf("%s: plan %+v (%v)", tool, plan, err)
		}
		delete(request, "dry_run")
		request["plan_token"] = plan.Token
		okOf(t, c, tool, request)
		failedOf(t, c, tool, request)
		if s.runs.Load() != before+1 {
			t.Errorf("%s: %d runs", tool, s.runs.Load()-before)
		}
		request["dryRun"] = true // is not spelt so, and must not run
		if e := failedOf(t, c, tool, request); !strings.Contains(e.Error, "it is spelt dry_run") {
			t.Errorf("%s: %s", tool, e.text)
		}
		delete(request, "dryRun")
		request["plan_token"] = 7
		failedOf(t, c, tool, request)
	}
}

// TestProgress holds that a function's progress reaches the client.
func TestProgress(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(registry.StreamFunc("work", "", func(_ context.Context, _ struct{}, report func(registry.Progress) error) (string, error) {
		return "done", report(registry.Progress{Done: 1, Total: 2, Message: "half"})
	}))
	for _, l := range links {
		got := make(chan string, 1)
		c := l.Connect(t, facade.NewServer(reg, &facade.Options{Tools: true}), nil, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
				got <- req.Params.Message
			},
		})
		for tool, args := range map[string]object{"NExecute": {"cmd": "work"}, "ToolsExecute": {"cmd": "execute", "params": object{"name": "n.work"}}} {
			res, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{"progressToken": "p"}})
			if err != nil || res.IsError {
				t.Fatal(toJSON(res), err)
			}
			if message := <-got; message != "half" {
				t.Errorf("%s: %s", tool, message)
			}
		}
	}
}

// TestElicitation holds that what a function asks reaches the person, in both
// generations.
func TestElicitation(t *testing.T) {
	ask := func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		q := &mcp.ElicitParams{Message: "Which one?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"one": map[string]any{"type": "string"}}}}
		switch {
		case c.Client == nil:
			return &registry.Result{InputRequests: mcp.InputRequestMap{"q": q}, RequestState: "s"}, nil
		case c.Client.Elicit != nil:
			res, err := c.Client.Elicit(ctx, q)
			if err != nil {
				return nil, err
			}
			return registry.TextResult(fmt.Sprint("chosen ", res.Content["one"])), nil
		case len(c.Client.Answers) > 0:
			return registry.TextResult(fmt.Sprint("chosen ", c.Client.Answers["q"].(*mcp.ElicitResult).Content["one"])), nil
		}
		return &registry.Result{InputRequests: mcp.InputRequestMap{"q": q}}, nil
	}
	f, err := registry.RemoteFunc("ask", "", registry.Remote{Handler: ask})
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(f)
	srv := facade.NewServer(reg, nil)
	for _, l := range links {
		c := l.Connect(t, srv, nil, &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"one": "the blue"}}, nil
		}})
		if e := okOf(t, c, "NExecute", object{"cmd": "ask"}); string(e.Data) != `"chosen the blue"` {
			t.Errorf("%s: %s", l, e.text)
		}
	}
	r := srv.Execute(t.Context(), "n", &facade.Request{Cmd: "ask"})
	if r.OK || len(r.InputRequests) != 1 || r.RequestState != "s" || r.Error != "" {
		t.Errorf("response %+v", r)
	}
}
