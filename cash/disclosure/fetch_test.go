package disclosure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/registry"
)

func dialOwn(t testing.TB, srv *mcp.Server) *client {
	t.Helper()
	return &client{Client: cashtest.Connect(t, srv), t: t, grants: map[string]string{}}
}

func TestP6P9P26Query(t *testing.T) {
	overAll(t, &disclosure.Options{}, func(t *testing.T, c *client) {
		for query, want := range map[string][]string{
			"tools=ping":                        {"ping"},
			"tools=ping,orders-get":             {"orders-get", "ping"},
			"tools=ping%2Corders-get":           {"orders-get", "ping"},
			"tools=%70ing":                      {"ping"},
			"t%6Fols=ping":                      {"ping"},
			"tools=ping,%20orders-get%20,":      {"orders-get", "ping"},
			"tools=ping,+orders-get":            {"orders-get", "ping"},
			"tools=,,ping,,ping":                {"ping"},
			"tools=ping&tools=orders-get":       {"orders-get", "ping"},
			"v=2&tools=ping&x=orders-get":       {"ping"},
			"tools=ping#tools=orders-get":       {"ping"},
			"tools=ping&tools=":                 {"ping"},
			"tools=Ping":                        {"Ping"},
			"tools=ping,%ZZ":                    {"%ZZ", "ping"},
			"tools=ping%200":                    {"ping 0"},
			"tools=orders-get%E2%80%8B,ping":    {"(unreadable)", "ping"},
			"tools=orders-get%00":               {"(unreadable)"},
			"tools=orders/get,orders.get":       {"orders.get", "orders/get"},
			"tools=orders_get,ORDERS-get,order": {"ORDERS-get", "order", "orders_get"},
		} {
			if got := keys(c.fetch(query)); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
	})
}

func TestP9Order(t *testing.T) {
	c := connect(t, disclosure.NewServer(shop(), nil), nil)
	text := c.read(uri + "?tools=ping,x,orders-drop,orders-create")
	last := -1
	for _, name := range []string{"ping", "x", "orders-drop", "orders-create"} {
		i := strings.Index(text, `"`+name+`":{`)
		if i <= last {
			t.Errorf("%s is at %d", name, i)
		}
		last = i
	}
	if !json.Valid([]byte(text)) || text[0] != '{' || text[len(text)-1] != '}' {
		t.Errorf("not one object: %s", text)
	}
}

func TestP7MissingSelection(t *testing.T) {
	overAll(t, &disclosure.Options{}, func(t *testing.T, c *client) {
		for _, query := range []string{"", "?", "?x=1", "?tools", "?tools=", "?tools=,,", "?tools=%2C", "?tools=%20,+", "?Tools=ping", "?tool=ping", "#tools=ping", "?#tools=ping"} {
			if got := c.read(uri + query); got != missing(uri) {
				t.Errorf("%s: %s", query, got)
			}
		}
		if got := c.call("ping", "{}").Text; got != required("ping") {
			t.Errorf("a fetch of nothing authorises: %s", got)
		}
	})
}

func TestP8P10Description(t *testing.T) {
	reg := shop()
	overAll(t, &disclosure.Options{}, func(t *testing.T, c *client) {
		f, err := reg.Function(context.Background(), "orders", "create")
		if err != nil {
			t.Fatal(err)
		}
		text := c.read(uri + "?tools=orders-create")
		if !strings.Contains(text, `"inputSchema":`+string(f.InputSchema())) {
			t.Errorf("the schema is not that of the function: %s", text)
		}
		e := c.fetch("tools=orders-create")["orders-create"]
		if e.Name != "orders-create" || e.Description != "Create a new order for a customer. Stock is reserved at once." {
			t.Errorf("%+v", e)
		}
		if e.Usage["returns"] == "" || e.Errors["INVALID_ARGUMENTS"] == "" || e.Errors["TIMEOUT"] == "" {
			t.Errorf("guidance: %+v %+v", e.Usage, e.Errors)
		}
		want := []string{`{"customer_id":"C-42","quantity":1}`, `{"customer_id":"C-42","quantity":1,"channel":"WEB"}`}
		var got []string
		for _, x := range e.Examples {
			got = append(got, string(x.Input))
			if x.Description == "" {
				t.Error("an example without a description")
			}
			c.call("orders-create", string(x.Input)).OK()
		}
		if !slices.Equal(got, want) {
			t.Errorf("examples %q, want %q", got, want)
		}
		if e := c.fetch("tools=orders-drop")["orders-drop"]; e.Usage["effects"] != "May delete or overwrite." {
			t.Errorf("orders-drop: %+v", e.Usage)
		}
		if e := c.fetch("tools=orders-get")["orders-get"]; e.Usage["effects"] != "Changes nothing." {
			t.Errorf("orders-get: %+v", e.Usage)
		}
	})
}

// TestP10GuidanceOnce: what is the same for all tools is in the first description of an answer.
func TestP10GuidanceOnce(t *testing.T) {
	overAll(t, &disclosure.Options{Descriptions: described(t, fstest.MapFS{
		"orders-drop.json": {Data: []byte(`{"error_guidance":{"FAILED":"Wait."}}`)},
	})}, func(t *testing.T, c *client) {
		for range 2 { // each answer has it
			text := c.read(uri + "?tools=x,orders-drop,orders-create,orders-get,orders-fail,ping")
			for _, once := range []string{`"INVALID_ARGUMENTS"`, `"TIMEOUT"`, `"for":"all tools"`} {
				if n := strings.Count(text, once); n != 1 {
					t.Errorf("%s is there %d times: %s", once, n, text)
				}
			}
			if n := strings.Count(text, `"_grant_use"`); n > 1 || n == 1 != strings.Contains(text, `"_grant":`) {
				t.Errorf("the use of grants is there %d times", n)
			}
		}
		m := c.fetch("tools=x,orders-drop,orders-create,orders-get,ping")
		if m["orders-create"].Errors["INVALID_ARGUMENTS"] == "" || m["orders-drop"].Errors["FAILED"] != "Wait." || len(m["orders-drop"].Errors) != 1 || m["ping"].Errors != nil {
			t.Errorf("%+v", m)
		}
		for name, e := range m {
			if e.Error == "" {
				c.call(name, map[string]string{"orders-create": `{"customer_id":"C","quantity":1}`, "orders-get": `{"customer_id":"C"}`}[name]+map[bool]string{true: "{}"}[name == "ping" || name == "orders-drop"]).OK()
			}
		}
	})
}

// TestP8Cleaned: of a schema and a description, a model gets what a person would
// see, and of a function without a description the words of its name.
func TestP8Cleaned(t *testing.T) {
	reg := registry.New(nil)
	for name, description := range map[string]string{"do_it": "", "undo_it": " \u200b", "see": "See\u202e it."} {
		f, err := registry.RawFunc(name, description, json.RawMessage(`{"type":"object","description":"a\u202eb\u001b[31mc`+"\U000e0041"+`"}`),
			func(context.Context, json.RawMessage) (*registry.Result, error) {
				return registry.TextResult("done"), nil
			})
		if err != nil {
			t.Fatal(err)
		}
		reg.Namespace("", "").Add(f)
	}
	c := connect(t, disclosure.NewServer(reg, nil), nil)
	for name, want := range map[string]string{"do_it": "do it", "undo_it": "undo it", "see": "See it."} {
		e := c.fetch("tools=" + name)[name]
		if e.Description != want || string(e.InputSchema) != `{"type":"object","description":"abc"}` {
			t.Errorf("%s: %q, %s", name, e.Description, e.InputSchema)
		}
	}
}

func TestP11GeneratedAtRequestTime(t *testing.T) {
	src := &changing{}
	src.set(shop())
	c := connect(t, disclosure.NewServer(src, nil), nil)
	before := c.fetch("tools=ping")["ping"].Description
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("ping", "Other words.", func(context.Context, none) (string, error) { return "", nil }))
	src.set(reg)
	if after := c.fetch("tools=ping")["ping"].Description; before != "Check that the server answers." || after != "Other words." {
		t.Errorf("%q, then %q", before, after)
	}
}

func TestP18P19Unknown(t *testing.T) {
	overAll(t, &disclosure.Options{}, func(t *testing.T, c *client) {
		m := c.fetch("tools=ping,nothing,admin-report")
		for _, name := range []string{"nothing", "admin-report"} {
			want := entry{Error: "Tool '" + name + "' not found", Available: names}
			if !reflect.DeepEqual(m[name], want) {
				t.Errorf("%s: %+v", name, m[name])
			}
			if _, err := c.Session.CallTool(context.Background(), &mcp.CallToolParams{Name: name}); err == nil || !strings.Contains(err.Error(), `unknown tool "`+name+`"`) {
				t.Errorf("%s: %v", name, err)
			}
		}
		c.call("ping", "{}").OK()
	})
}

// TestP18Hidden compares a server with a server that has never had what the caller
// does not see, byte for byte.
func TestP18Hidden(t *testing.T) {
	without := registry.New(nil)
	for f := range shop().All() {
		if f.Namespace() != "admin" {
			without.Namespace(f.Namespace(), "").Add(f)
		}
	}
	a, b := connect(t, disclosure.NewServer(shop(), nil), nil), connect(t, disclosure.NewServer(without, nil), nil)
	for _, query := range []string{"?tools=admin-report", "?tools=admin", "?tools=x,ping", "?tools=admin-reports,orders-get"} {
		if x, y := a.read(uri+query), b.read(uri+query); x != y {
			t.Errorf("%s:\n%s\n%s", query, x, y)
		}
	}
	if x, y := toJSON(a.Tools()), toJSON(b.Tools()); x != y {
		t.Errorf("tools:\n%s\n%s", x, y)
	}
	if x, y := a.Session.InitializeResult().Instructions, b.Session.InitializeResult().Instructions; x != y {
		t.Errorf("instructions:\n%s\n%s", x, y)
	}
	admin := connect(t, disclosure.NewServer(shop(), nil), &registry.Caller{ID: "a", Roles: []string{"admin"}})
	if m := admin.fetch("tools=x"); !slices.Contains(m["x"].Available, "admin-report") {
		t.Errorf("the admin does not see the report: %+v", m)
	}
	admin.fetch("tools=admin-report")
	admin.call("admin-report", "{}").OK()
}

func TestP19Many(t *testing.T) {
	reg := registry.New(nil)
	for i := range 2000 {
		reg.Namespace("lots", "").Add(registry.Func(fmt.Sprintf("tool_%d", i), "One of many.", func(context.Context, none) (string, error) { return "", nil }))
	}
	c := connect(t, disclosure.NewServer(reg, nil), nil)
	e := c.fetch("tools=lots-tool_17x")["lots-tool_17x"]
	if len(e.Available) != 50 || !strings.HasPrefix(e.Available[0], "lots-tool_17") {
		t.Errorf("%d available: %v", len(e.Available), e.Available)
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("n%d", i))
	}
	text := c.read(uri + "?tools=" + strings.Join(many, ","))
	if n := strings.Count(text, "not found"); n != 1000 || len(text) > 300_000 {
		t.Errorf("%d entries in %d bytes", n, len(text))
	}
	for _, query := range []string{strings.Join(many, ",") + ",one", strings.Repeat("x", 70_000)} {
		if f := failureIn(t, c.read(uri+"?tools="+query)); f.Code != "TOO_MANY_TOOLS" {
			t.Errorf("%+v", f)
		}
	}
	all := c.fetch("tools=lots-tool_" + strings.Join(func() (n []string) {
		for i := range 900 {
			n = append(n, fmt.Sprint(i))
		}
		return n
	}(), ",lots-tool_")) // PX8
	if len(all) != 900 {
		t.Errorf("%d descriptions", len(all))
	}
	c.call("lots-tool_899", "{}").OK()
}

// TestFlatNames: names that are cut are found by fetches and calls.
func TestFlatNames(t *testing.T) {
	reg := registry.New(nil)
	long := registry.Func("f"+strings.Repeat("x", 40), "Long.", func(context.Context, none) (string, error) { return "long", nil })
	reg.Namespace("a"+strings.Repeat("y", 40)+".b", "").Add(long)
	c := connect(t, disclosure.NewServer(reg, nil), nil)
	name := c.Tools()[0].Name
	if len(name) != 64 || c.fetch("tools=" + name)[name].Name != name {
		t.Fatalf("%q", name)
	}
	c.call(name, "{}").OK()
}

func TestSessionRequired(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	disclosure.NewServer(shop(), nil).AddTo(own)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return own }, &mcp.StreamableHTTPOptions{Stateless: true}))
		t.Cleanup(web.Close)
		d := &cashtest.Dialer{Version: version}
		c := &client{Client: d.ConnectHTTP(t, web.URL), t: t}
		for range 2 {
			if f := failureIn(t, c.read(uri+"?tools=ping")); f.Code != "SESSION_REQUIRED" {
				t.Errorf("%+v", f)
			}
			wantCode(t, c.call("ping", "{}"), "SESSION_REQUIRED")
		}
		if got := c.read(uri); got != missing(uri) {
			t.Errorf("bare: %s", got)
		}
		if _, err := c.Session.CallTool(context.Background(), &mcp.CallToolParams{Name: "admin-report"}); err == nil {
			t.Error("what is hidden is answered")
		}
	}
}
