package facade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/registry"
)

func everything() *facade.Server {
	return facade.NewServer(newShop(), &facade.Options{Tools: true, Search: map[string]facade.SearchFunc{
		"web": func(context.Context, string, int) ([]facade.Hit, error) { return []facade.Hit{{Title: "a page"}}, nil },
	}})
}

// TestF1OneToolPerDomain holds that there is a tool for each top-level namespace,
// and that functions make no more (F12).
func TestF1F12OneToolPerDomain(t *testing.T) {
	overAll(t, func() *facade.Server { return facade.NewServer(newShop(), nil) }, func(t *testing.T, c *cashtest.Client) {
		if got := namesOf(c.Tools()); got != "McpExecute OrdersExecute StockExecute" {
			t.Errorf("tools %s", got)
		}
	})
	for _, n := range []int{1, 14, 3000} {
		reg := registry.New(nil)
		for i := range n {
			reg.Namespace("memories", "What is remembered.").Add(registry.Func(fmt.Sprintf("cmd%d", i), "Do it.", func(context.Context, struct{}) (int, error) { return i, nil }))
		}
		c := inMemory(t, facade.NewServer(reg, nil), nil)
		if got := namesOf(c.Tools()); got != "MemoriesExecute" {
			t.Errorf("%d commands: tools %s", n, got)
		}
		last := fmt.Sprintf("cmd%d", n-1)
		if e := okOf(t, c, "MemoriesExecute", object{"cmd": last}); string(e.Data) != fmt.Sprint(n-1) {
			t.Errorf("%s answers %s", last, e.text)
		}
	}
}

func TestFX1Names(t *testing.T) {
	for label, want := range map[string]string{
		"orders": "OrdersExecute", "order_mgmt": "OrderMgmtExecute", "Order_Mgmt": "OrderMgmtExecute", "orderMgmt": "OrderMgmtExecute",
		"__a__b_": "ABExecute", "x2_3d": "X23dExecute", "memories": "MemoriesExecute", "CRM": "CRMExecute", "2fa": "2faExecute",
	} {
		if got := facade.ToolName(label); got != want {
			t.Errorf("%s is %s, want %s", label, got, want)
		}
	}
	long := strings.Repeat("long_", 40)
	a, b := facade.ToolName(long+"a"), facade.ToolName(long+"b")
	if a == b || len(a) != 64 || !strings.HasSuffix(a, "Execute") {
		t.Errorf("%s and %s", a, b)
	}
	reg := registry.New(nil)
	for _, end := range []string{"a", "b"} {
		reg.Namespace(long+end, "").Add(registry.Func("who", "Say.", func(context.Context, struct{}) (string, error) { return end, nil }))
	}
	c := inMemory(t, facade.NewServer(reg, nil), nil)
	if e := okOf(t, c, b, object{"cmd": "who"}); string(e.Data) != `"b"` {
		t.Errorf("%s answers %s", b, e.text)
	}
}

func TestF2Schema(t *testing.T) {
	c := inMemory(t, facade.NewServer(newShop(), nil), nil)
	var schema struct {
		Type       string
		Properties map[string]struct {
			Type, Description string
			Enum              []string
			Default           any
		}
		Required             []string
		AdditionalProperties any
	}
	tool := toolNamed(c, "OrdersExecute")
	if err := json.Unmarshal([]byte(toJSON(tool.InputSchema)), &schema); err != nil {
		t.Fatal(err)
	}
	p := schema.Properties
	if schema.Type != "object" || len(p) != 3 || p["cmd"].Type != "string" || p["params"].Type != "object" || p["detail"].Type != "string" ||
		!slices.Equal(p["detail"].Enum, []string{"minimal", "standard", "full"}) || p["detail"].Default != "standard" ||
		!slices.Equal(schema.Required, []string{"cmd"}) || schema.AdditionalProperties != nil {
		t.Errorf("schema %s", toJSON(tool.InputSchema))
	}
	for name, about := range p {
		if about.Description == "" {
			t.Errorf("%s is not described", name)
		}
	}
	// What is omitted has its default.
	want := okOf(t, c, "OrdersExecute", object{"cmd": "list", "detail": "standard", "params": object{}}).text
	for _, args := range []object{{"cmd": "list"}, {"cmd": "list", "detail": nil, "params": nil}, {"cmd": "list", "params": "{}"}, {"cmd": "list", "more": 1}} {
		if got := okOf(t, c, "OrdersExecute", args).text; got != want {
			t.Errorf("%v: %s, want %s", args, got, want)
		}
	}
}

// TestF3toF7F11EveryDomain asks the same of every domain, over every link. The
// shape is checked with every envelope.
func TestF3toF7F11EveryDomain(t *testing.T) {
	works := map[string]object{
		"OrdersExecute": {"cmd": "list"}, "StockExecute": {"cmd": "count"}, "McpExecute": {"cmd": "ping"},
		"ToolsExecute": {"cmd": "list"}, "SearchExecute": {"cmd": "web", "params": object{"query": "x"}},
	}
	overAll(t, everything, func(t *testing.T, c *cashtest.Client) {
		tools := c.Tools()
		if len(tools) != len(works) {
			t.Fatalf("tools %s", namesOf(tools))
		}
		for _, tool := range tools {
			args := works[tool.Name]
			cmd := args["cmd"].(string)
			if e := okOf(t, c, tool.Name, args); string(e.Cmd) != `"`+cmd+`"` || len(e.Data) == 0 {
				t.Errorf("F3: %s", e.text)
			}
			loud := object{"cmd": strings.ToUpper(cmd), "params": args["params"]}
			if e := okOf(t, c, tool.Name, loud); string(e.Cmd) != `"`+strings.ToUpper(cmd)+`"` {
				t.Errorf("F4: %s", e.text)
			}
			for _, unknown := range []string{" " + cmd, cmd + " ", cmd + "\n", cmd + "s_", "ſ", "no.such", ".", cmd + ".", "orders." + cmd + ".x", "-2", strings.Repeat("x", 3000)} {
				e := failedOf(t, c, tool.Name, object{"cmd": unknown})
				if !strings.HasPrefix(e.Error, "Unknown command: "+strings.Trim(unknown, "\n")[:min(len(unknown)-1, 64)]) || !strings.Contains(e.Error, "Available commands: ") || !strings.Contains(e.Error, cmd) {
					t.Errorf("F5, F6: %q is answered with %s", unknown, e.text)
				}
			}
			if strings.Contains(tool.Description, "boom") {
				e := failedOf(t, c, tool.Name, object{"cmd": "boom"})
				if !strings.Contains(e.Error, "failed unexpectedly") || strings.Contains(e.text, "secret") {
					t.Errorf("F7: %s", e.text)
				}
			}
			for _, missing := range []string{`{}`, `{"cmd":""}`, `{"cmd":null}`, `{"cmd":7}`, `{"cmd":{"a":1}}`, `null`} {
				if e := failedOf(t, c, tool.Name, json.RawMessage(missing)); e.Error != "cmd is required" {
					t.Errorf("F20: %s is answered with %s", missing, e.text)
				}
			}
		}
	})
}

// TestF7Errors holds that whatever a function does becomes an envelope.
func TestF7Errors(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	reg := registry.New(nil)
	add := func(name string, f func(context.Context, struct{}) (*registry.Result, error), facts ...registry.FuncOption) *registry.Function {
		return registry.Func(name, "", f, facts...)
	}
	hang := add("hang", func(context.Context, struct{}) (*registry.Result, error) { <-release; return nil, nil }, registry.Timeout(20*time.Millisecond))
	failure := registry.TextResult("the\x1b[31m disk\u202e is full")
	failure.IsError = true
	silent := &registry.Result{IsError: true}
	structured := &registry.Result{IsError: true, Structured: json.RawMessage(`{"why":"no paper"}`)}
	reg.Namespace("n", "").Add(hang,
		add("error", func(context.Context, struct{}) (*registry.Result, error) { return nil, fmt.Errorf("no paper") }),
		add("panic", func(context.Context, struct{}) (*registry.Result, error) { panic(failure) }),
		add("nothing", func(context.Context, struct{}) (*registry.Result, error) { return nil, nil }),
		add("failure", func(context.Context, struct{}) (*registry.Result, error) { return failure, nil }),
		add("silent", func(context.Context, struct{}) (*registry.Result, error) { return silent, nil }),
		add("structured", func(context.Context, struct{}) (*registry.Result, error) { return structured, nil }),
	)
	overAll(t, func() *facade.Server { return facade.NewServer(reg, nil) }, func(t *testing.T, c *cashtest.Client) {
		for cmd, want := range map[string]string{
			"error": "no paper", "panic": "failed unexpectedly", "nothing": "no usable result", "hang": "did not answer",
			"failure": "the disk is full", "silent": "without saying why", "structured": `{"why":"no paper"}`,
		} {
			if e := failedOf(t, c, "NExecute", object{"cmd": cmd}); !strings.Contains(e.Error, want) || string(e.Cmd) != `"`+cmd+`"` {
				t.Errorf("%s is answered with %s", cmd, e.text)
			}
		}
	})
}

func keysOf(t testing.TB, data json.RawMessage) map[string]bool {
	t.Helper()
	keys := make(map[string]bool)
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, below := range v {
				keys[at+"."+k] = true
				walk(at+"."+k, below)
			}
		case []any:
			for _, below := range v {
				walk(at+"[]", below)
			}
		}
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	walk("", v)
	return keys
}

// TestF8Levels holds, through the wire, that each level shows what the one below it
// shows, and more where there is more.
func TestF8Levels(t *testing.T) {
	overAll(t, everything, func(t *testing.T, c *cashtest.Client) {
		for _, q := range []struct {
			tool, cmd string
			params    object
			levels    bool // that differ
		}{
			{"OrdersExecute", "list", nil, true},
			{"OrdersExecute", "get", object{"order_id": "ORD-1"}, true},
			{"OrdersExecute", "create", object{"customer_id": "C", "items": []object{{"product_id": "P", "quantity": 1}}}, true},
			{"OrdersExecute", "cancel", object{"order_id": "ORD-1"}, false},
			{"StockExecute", "count", nil, false},
			{"ToolsExecute", "list", nil, true},
			{"ToolsExecute", "list", object{"query": "order"}, true},
			{"ToolsExecute", "get", object{"name": "orders.create"}, true},
			{"ToolsExecute", "execute", object{"name": "orders.get", "arguments": object{"order_id": "ORD-1"}}, true},
			{"SearchExecute", "tools", object{"query": "order"}, true},
		} {
			var got []envelope
			for _, level := range []string{"minimal", "standard", "full"} {
				got = append(got, okOf(t, c, q.tool, object{"cmd": q.cmd, "detail": level, "params": q.params}))
			}
			for i := 1; i < len(got); i++ {
				less, more := got[i-1].Data, got[i].Data
				if len(less) > len(more) || q.levels && i == 1 && len(less) == len(more) {
					t.Errorf("%s %s: %d bytes, and %d at the next level", q.tool, q.cmd, len(less), len(more))
				}
				keys := keysOf(t, more)
				for key := range keysOf(t, less) {
					if !keys[key] {
						t.Errorf("%s %s: %s is missing at the next level", q.tool, q.cmd, key)
					}
				}
			}
		}
		data := okOf(t, c, "OrdersExecute", object{"cmd": "get", "params": object{"order_id": "ORD-1"}}).Data
		if !strings.Contains(string(data), "…") || strings.Contains(string(data), "items") {
			t.Errorf("standard shows %s", data)
		}
		data = okOf(t, c, "OrdersExecute", object{"cmd": "get", "detail": "minimal", "params": object{"order_id": "ORD-1"}}).Data
		if string(data) != `{"order_id":"ORD-1","title":"Order 1"}` {
			t.Errorf("minimal shows %s", data)
		}
	})
}

// TestF9FX4Count holds that the count is that of what matched, not of what is
// shown.
func TestF9FX4Count(t *testing.T) {
	c := inMemory(t, everything(), nil)
	for _, q := range []struct {
		tool string
		args object
		want int // -1 is none
	}{
		{"OrdersExecute", object{"cmd": "list"}, 17},
		{"OrdersExecute", object{"cmd": "list", "detail": "minimal", "params": object{"limit": 1}}, 17},
		{"OrdersExecute", object{"cmd": "get", "params": object{"order_id": "ORD-1"}}, -1},
		{"StockExecute", object{"cmd": "count"}, -1},
		{"McpExecute", object{"cmd": "ping"}, -1},
		{"ToolsExecute", object{"cmd": "list", "params": object{"limit": 2}}, 10},
		{"ToolsExecute", object{"cmd": "list", "params": object{"namespace": "orders"}}, 6},
		{"ToolsExecute", object{"cmd": "get", "params": object{"name": "ping"}}, -1},
		{"SearchExecute", object{"cmd": "web", "params": object{"query": "x"}}, 1},
		{"SearchExecute", object{"cmd": "tools", "params": object{"query": "warehouse", "limit": 1}}, 2},
	} {
		e := okOf(t, c, q.tool, q.args)
		if q.want < 0 && e.Count != nil || q.want >= 0 && (e.Count == nil || *e.Count != q.want) {
			t.Errorf("%s %v: want count %d in %s", q.tool, q.args, q.want, e.text)
		}
	}
}

// gone is a source whose namespace stock cannot be listed at the moment.
type gone struct{ registry.Source }

func (g gone) List(ctx context.Context, path string) (*registry.Listing, error) {
	if strings.EqualFold(path, "stock") {
		return nil, &registry.Error{Kind: registry.Unavailable, Message: "Gone."}
	}
	return g.Source.List(ctx, path)
}

// TestF10Tools holds that the tools of what is unavailable are refused as that, and
// not left out without a word.
func TestF10Tools(t *testing.T) {
	s := newShop()
	s.Namespace("stock.depot", "").Unavailable(&registry.Error{Kind: registry.Unavailable, Message: "The depot is closed."})
	c := inMemory(t, facade.NewServer(s, &facade.Options{Tools: true}), nil)
	for _, cmd := range []string{"get", "validate", "execute"} {
		e := failedOf(t, c, "ToolsExecute", object{"cmd": cmd, "params": object{"name": "stock.depot.open"}})
		if e.Error != "`stock.depot.open` is unavailable. The depot is closed. Try again in a minute, or go on without it." {
			t.Errorf("%s: %s", cmd, e.text)
		}
	}
	for _, params := range []object{{"namespace": "stock.depot"}, {"namespace": "stock.depot", "query": "open"}} {
		e := failedOf(t, c, "ToolsExecute", object{"cmd": "list", "params": params})
		if e.Error != "`stock.depot` is unavailable. The depot is closed. Try again in a minute, or go on without it." {
			t.Errorf("%v: %s", params, e.text)
		}
	}
	if e := okOf(t, c, "ToolsExecute", object{"cmd": "list", "params": object{"namespace": "stock"}}); *e.Count != 2 {
		t.Errorf("list %s", e.text)
	}
}

// TestF10Unavailable holds that a domain that cannot be had is listed, and says so
// when it is called.
func TestF10Unavailable(t *testing.T) {
	serve := func() *facade.Server {
		s := newShop()
		s.Namespace("crm", "Customers.").Unavailable(&registry.Error{Kind: registry.Unavailable, Message: "The server behind it does not answer.", Hint: "Try again in a minute."})
		s.Namespace("stock.depot", "").Unavailable(&registry.Error{Kind: registry.Unavailable, Message: "The depot is closed."})
		return facade.NewServer(s, nil)
	}
	overAll(t, serve, func(t *testing.T, c *cashtest.Client) {
		crm := toolNamed(c, "CrmExecute")
		if crm == nil || !strings.Contains(crm.Description, "Customers. Unavailable") || crm.Annotations.ReadOnlyHint {
			t.Fatalf("tool %s", toJSON(crm))
		}
		e := failedOf(t, c, "CrmExecute", object{"cmd": "list"})
		if !strings.Contains(e.Error, "`crm` is unavailable") || !strings.Contains(e.Error, "does not answer") || !strings.Contains(e.Error, "in a minute") {
			t.Errorf("error %s", e.text)
		}
		if stock := toolNamed(c, "StockExecute"); stock.Annotations.ReadOnlyHint || !strings.Contains(stock.Description, "count()") {
			t.Errorf("tool %s", toJSON(stock))
		}
		if e := failedOf(t, c, "StockExecute", object{"cmd": "depot.count"}); !strings.HasPrefix(e.Error, "A part of the domain `stock` is unavailable. The depot is closed. Try again in a minute, or go on without it.") {
			t.Errorf("error %s", e.text)
		}
		okOf(t, c, "StockExecute", object{"cmd": "count"})
	})
	// So does a source that cannot say anything of a domain but that.
	c := inMemory(t, facade.NewServer(gone{newShop()}, nil), nil)
	if e := failedOf(t, c, "StockExecute", object{"cmd": "count"}); !strings.Contains(strings.ToLower(e.Error), "the domain `stock` is unavailable. gone.") {
		t.Errorf("error %s", e.text)
	}
	// A function that finds its server gone names its domain, too.
	e := answering(nil, &registry.Error{Kind: registry.Unavailable, Message: "Nobody answers."}).Execute(t.Context(), "n", &facade.Request{Cmd: "f"})
	if !strings.Contains(e.Error, "`n.f` is unavailable. Nobody answers.") {
		t.Errorf("error %s", e.Error)
	}
}

func TestF20Requests(t *testing.T) {
	s := newShop()
	c := inMemory(t, facade.NewServer(s, nil), nil)
	long := strings.Repeat("é", 2000)
	for _, q := range []struct{ args, cmd, want string }{
		{`{}`, ``, "cmd is required"},
		{`{"cmd":null}`, ``, "cmd is required"},
		{`{"cmd":""}`, `""`, "cmd is required"},
		{`{"cmd":9007199254740993}`, ``, "cmd is required"},
		{`{"cmd":true,"detail":"x"}`, ``, "cmd is required"},
		{`{"cmd":{"list":"secret"}}`, ``, "cmd is required"},
		{`{"cmd":["list"]}`, ``, "cmd is required"},
		{`{"command":"list"}`, ``, "cmd is required: command is not known here, it is spelt cmd."},
		{`{"Cmd":"list"}`, ``, "it is spelt cmd."},
		{`{"cmd":7,"command":"list"}`, ``, "cmd is required"},
		{`{"cmd":"list","Detail":"full"}`, `"list"`, "Detail is not known here. Did you mean detail? The command was not run."},
		{`{"cmd":"list","parms":{"limit":1}}`, `"list"`, "parms is not known here. Did you mean params?"},
		{`{"cmd":"list","limti":1}`, `"list"`, "limti is not known here. Did you mean the parameter limit? It belongs in params."},
		{`{"cmd":"list","params":{"limti":1}}`, `"list"`, "did you mean `limit`?"},
		{`{"cmd":"li\u202est"}`, `"li\u202est"`, "Unknown command: li?st. Did you mean list?"},
		{`{"cmd":"\u001b[31mlist\u0000"}`, `"\u001b[31mlist\u0000"`, "Unknown command: ?[31mlist?."},
		{`{"params":{"cmd":"list"}}`, ``, "cmd is required"},
		{`{"cmd":"list","detail":"tiny"}`, `"list"`, "minimal, standard and full"},
		{`{"cmd":"list","detail":"Full"}`, `"list"`, "minimal, standard and full"},
		{`{"cmd":"list","detail":1}`, `"list"`, "minimal, standard and full"},
		{`{"cmd":"list","params":[]}`, `"list"`, "params must be a JSON object"},
		{`{"cmd":"list","params":7}`, `"list"`, "params must be a JSON object"},
		{`{"cmd":"list","params":""}`, `"list"`, "params must be a JSON object"},
		{`{"cmd":"list","params":"[1]"}`, `"list"`, "params must be a JSON object"},
		{`{"cmd":"list","params":"{\"limit\":1,\"limit\":2}"}`, `"list"`, "not valid JSON"},
		{`{"cmd":"list","params":"{"}`, `"list"`, "not valid JSON"},
		{`{"cmd":"list","limit":1}`, `"list"`, "limit belongs in params"},
		{`{"cmd":"list","dry_run":true}`, `"list"`, "dry_run is not known"},
		{`{"cmd":"list","dryRun":true}`, `"list"`, "dryRun is not known"},
		{`{"cmd":"list","arguments":{"limit":1}}`, `"list"`, "arguments is not known here: the parameters of a command belong in params"},
		{`{"cmd":"list","Params":{"limit":1}}`, `"list"`, "belong in params"},
		{`{"cmd":"list","params":{},"kwargs":"x"}`, `"list"`, "belong in params"},
		{`{"cmd":1e400}`, ``, "cmd is required"},
		{`{"cmd":[-1e400]}`, ``, "cmd is required"},
		{`{"cmd":"list","params":{"a":1,"a":2}}`, `"list"`, "not valid JSON"},
		{`{"cmd":"list","params":` + strings.Repeat(`{"a":`, 70) + `1` + strings.Repeat(`}`, 70) + `}`, `"list"`, "not valid JSON"},
		{`"list"`, ``, "must be a JSON object"},
		{`["list"]`, ``, "must be a JSON object"},
		{`{"cmd":"` + long + `"}`, toJSON(long[:1024] + "…"), "Unknown command: " + long[:128] + "…. Available"},
	} {
		e := failedOf(t, c, "OrdersExecute", json.RawMessage(q.args))
		if !strings.Contains(e.Error, q.want) || string(e.Cmd) != q.cmd {
			t.Errorf("%.80s is answered with %s, want cmd %.80s and %.80s", q.args, e.text, q.cmd, q.want)
		}
	}
	if n := s.runs.Load(); n != 0 {
		t.Errorf("%d functions have run", n)
	}
	for _, args := range []string{`{"cmd":"list","params":"{\"limit\":1}"}`, `{"cmd":"list","params":{"limit":1}}`, ` { "cmd" : "list" , "params" : { "limit" : 1 } } `} {
		if e := okOf(t, c, "OrdersExecute", json.RawMessage(args)); strings.Count(e.text, "order_id") != 1 {
			t.Errorf("%s is answered with %s", args, e.text)
		}
	}
}

// TestF21F22Bytes holds what exactly is sent, and that nothing else is.
func TestF21F22Bytes(t *testing.T) {
	overAll(t, everything, func(t *testing.T, c *cashtest.Client) {
		for _, q := range []struct {
			tool string
			args object
			want string
		}{
			{"McpExecute", object{"cmd": "ping"}, `{"ok":true,"cmd":"ping","data":"pong"}`},
			{"StockExecute", object{"cmd": "Count", "detail": "full"}, `{"ok":true,"cmd":"Count","data":42}`},
			{"OrdersExecute", object{"cmd": "retail.refund", "params": object{"order_id": "<&>"}}, `{"ok":true,"cmd":"retail.refund","data":"refunded <&>"}`},
			{"OrdersExecute", object{"cmd": "get", "params": object{"order_id": "x"}}, `{"ok":false,"cmd":"get","error":"there is no such order"}`},
		} {
			r := c.Tool(q.tool, q.args)
			if envelopeOf(t, r); r.Text != q.want || len(r.Raw.Content) != 1 {
				t.Errorf("%s, want %s", r.Text, q.want)
			}
		}
	})
}

// TestF21TextOnly holds that the envelope, also of a failure, is sent once if the server or the function wishes that.
func TestF21TextOnly(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(
		registry.Func("text", "", func(context.Context, struct{}) (string, error) { return "", nil }, registry.TextOnly),
		registry.Func("both", "", func(context.Context, struct{}) (string, error) { return "", nil }),
	)
	for _, server := range []bool{false, true} {
		c := inMemory(t, facade.NewServer(reg, &facade.Options{TextOnly: server}), nil)
		for _, tt := range []struct {
			args object
			once bool
		}{{object{"cmd": "text"}, true}, {object{"cmd": "text", "params": object{"a": 1}}, true}, {object{"cmd": "both"}, false}, {object{"cmd": "none"}, false}, {object{}, false}} {
			if r := c.Tool("NExecute", tt.args); (r.Raw.StructuredContent == nil) != (tt.once || server) {
				t.Errorf("text only %v, %v: structured content %v", server, tt.args, r.Raw.StructuredContent)
			}
		}
	}
}

// TestUnknownTool holds that a domain that is not there is an unknown tool.
func TestUnknownTool(t *testing.T) {
	overAll(t, func() *facade.Server { return facade.NewServer(newShop(), nil) }, func(t *testing.T, c *cashtest.Client) {
		for _, name := range []string{"NoExecute", "ordersExecute", "Orders", "ORDERSExecute", "Orders_Execute", "Execute", "ToolsExecute", "SearchExecute", "orders-list", strings.Repeat("x", 57) + "Execute"} {
			_, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: object{"cmd": "list"}})
			if err == nil || !strings.Contains(err.Error(), "unknown tool") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
