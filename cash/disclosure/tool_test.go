package disclosure_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// describe calls the tool with the descriptions, and keeps their grants.
func (c *client) describe(args string) (map[string]entry, string) {
	c.t.Helper()
	text := c.Tool(disclosure.ToolName, json.RawMessage(args)).OK().Text
	var m map[string]entry
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		c.t.Fatalf("%s: %v: %s", args, err, text)
	}
	for name, e := range m {
		if g := e.Usage["_grant"]; g != "" {
			c.grants[name] = g
		}
	}
	return m, text
}

// TestTool: a model that cannot read resources does all of it by the tool.
func TestTool(t *testing.T) {
	overAll(t, &disclosure.Options{Tool: true}, func(t *testing.T, c *client) {
		tools := c.Tools()
		want := slices.Sorted(slices.Values(append(slices.Clone(names), disclosure.ToolName)))
		if got := toolNames(tools); !slices.Equal(got, want) {
			t.Fatalf("tools %v, want %v", got, want)
		}
		tool := tools[slices.Index(want, disclosure.ToolName)]
		if a := tool.Annotations; !a.ReadOnlyHint || !a.IdempotentHint || a.OpenWorldHint == nil || *a.OpenWorldHint || a.DestructiveHint != nil {
			t.Errorf("annotations %s", toJSON(tool.Annotations))
		}
		for _, want := range []string{"parameters", "before its first call", "TOOL_DESCRIPTION_REQUIRED", uri + "?tools=TOOL1,TOOL2"} {
			if !strings.Contains(tool.Description, want) {
				t.Errorf("the description has no %q: %s", want, tool.Description)
			}
		}
		if text := c.Session.InitializeResult().Instructions; !strings.Contains(text, "If you cannot read resources, call the tool tool_descriptions") {
			t.Errorf("instructions %s", text)
		}
		if got := c.call("ping", "{}").Text; got != required("ping") {
			t.Errorf("not fetched: %s", got)
		}
		for _, args := range []string{`{}`, `null`, `{"tools":[]}`, `{"tools":""}`, `{"tools":[" ,"]}`, `{"tools":null}`} {
			r := c.Tool(disclosure.ToolName, json.RawMessage(args))
			if !r.IsError || r.Text != missing(uri) {
				t.Errorf("%s: %s", args, r.Text)
			}
		}
		for _, args := range []string{`{"tools":[1]}`, `{"tools":[["ping"]]}`, `{"other":"ping"}`, `{"tools":["ping"],"x":1}`} {
			wantCode(t, c.Tool(disclosure.ToolName, json.RawMessage(args)), "INVALID_ARGUMENTS")
		}
		if got := c.call("ping", "{}").Text; got != required("ping") {
			t.Errorf("a wrong fetch authorises: %s", got)
		}
		m, text := c.describe(`{"tools":["ping","orders-create , nope","admin-report"]}`)
		if got := keys(m); !slices.Equal(got, []string{"admin-report", "nope", "orders-create", "ping"}) || m["nope"].Error == "" || m["admin-report"].Error != "Tool 'admin-report' not found" {
			t.Errorf("%s", text)
		}
		if slices.Contains(m["nope"].Available, disclosure.ToolName) || slices.Contains(m["nope"].Available, "admin-report") {
			t.Errorf("available %q", m["nope"].Available)
		}
		c.call("ping", "{}").OK()
		c.call("orders-create", `{"customer_id":"C-1","quantity":2}`).OK()
		wantCode(t, c.call("orders-drop", "{}"), "TOOL_DESCRIPTION_REQUIRED")
		if m, _ := c.describe(`{"tools":"orders-drop,ping"}`); len(m) != 2 {
			t.Errorf("a text: %v", keys(m))
		}
		c.call("orders-drop", "{}").OK()
		if e := c.fetch("tools=" + disclosure.ToolName)[disclosure.ToolName]; e.Error == "" {
			t.Errorf("the tool has a description of its own: %+v", e)
		}
	})
}

// TestToolSame: the tool and the resource answer the same to the byte.
func TestToolSame(t *testing.T) {
	c := connect(t, disclosure.NewServer(shop(), &disclosure.Options{Tool: true}), nil)
	for _, tools := range []string{"ping", "orders-create,ping,orders-get", "x,ping", "admin-report"} {
		_, byTool := c.describe(`{"tools":["` + strings.ReplaceAll(tools, ",", `","`) + `"]}`)
		if byResource := c.read(uri + "?tools=" + tools); byTool != byResource {
			t.Errorf("%s:\n%s\n%s", tools, byTool, byResource)
		}
	}
	many := `{"tools":["` + strings.Repeat("a,", 500) + strings.Repeat("b", 70_000) + `"]}`
	wantCode(t, c.Tool(disclosure.ToolName, json.RawMessage(many)), "TOO_MANY_TOOLS")
}

// TestToolOff: without the option there is no such tool, and a function of this name is served. With it, the name is
// taken.
func TestToolOff(t *testing.T) {
	reg := shop()
	own := registry.Func("tool_descriptions", "Describe tools of a workshop.", func(context.Context, none) (string, error) { return "hammer", nil })
	c := connect(t, disclosure.NewServer(reg, nil), nil)
	if _, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: disclosure.ToolName}); err == nil || slices.Contains(toolNames(c.Tools()), disclosure.ToolName) {
		t.Errorf("the tool is there: %v", err)
	}
	if strings.Contains(c.Session.InitializeResult().Instructions, "call the tool") {
		t.Error("the instructions name it")
	}
	reg.Namespace("", "").Add(own)
	c = connect(t, disclosure.NewServer(reg, nil), nil)
	c.fetch("tools=tool_descriptions")
	if got := c.call("tool_descriptions", "{}").OK().Text; got != "hammer" {
		t.Errorf("got %q", got)
	}
	func() {
		defer func() {
			if text, _ := recover().(string); !strings.Contains(text, `function "tool_descriptions"`) {
				t.Errorf("%q", text)
			}
		}()
		disclosure.NewServer(reg, &disclosure.Options{Tool: true})
	}()
	src := &changing{}
	src.set(reg)
	c = connect(t, disclosure.NewServer(src, &disclosure.Options{Tool: true}), nil)
	if n := len(c.Tools()); n != len(names)+1 {
		t.Errorf("%d tools", n)
	}
	if m, _ := c.describe(`{"tools":["ping"]}`); m["ping"].Name != "ping" {
		t.Errorf("%+v", m)
	}
}

// TestToolLimited: fetches by the tool and by the resource share one limit and one authorisation.
func TestToolLimited(t *testing.T) {
	now := newClock()
	for _, l := range links {
		opts := &disclosure.Options{FetchesPerMinute: 2, Now: now.Now, Tool: true, Serve: byHeaderOptions}
		if l == links[3] {
			opts.Grants = new(disclosure.Grants)
		}
		c := over(t, l, disclosure.NewServer(shop(), opts), &registry.Caller{ID: "ada"})
		c.fetch("tools=ping")
		c.describe(`{"tools":["ping"]}`)
		f := wantCode(t, c.Tool(disclosure.ToolName, json.RawMessage(`{"tools":["orders-drop"]}`)), "RATE_LIMITED")
		if f.Details["retry_after"] != 30.0 {
			t.Errorf("%s: %+v", l, f)
		}
		wantCode(t, c.call("orders-drop", "{}"), "TOOL_DESCRIPTION_REQUIRED")
		c.call("ping", "{}").OK()
		now.add(time.Minute)
	}
	opts := &disclosure.Options{Tool: true, Serve: serve.Options{Identify: func(context.Context, *serve.Incoming) (*registry.Caller, error) {
		return nil, &registry.Error{Kind: registry.Denied, Message: "Nobody."}
	}}}
	c := connect(t, disclosure.NewServer(shop(), opts), nil)
	wantCode(t, c.Tool(disclosure.ToolName, json.RawMessage(`{"tools":["ping"]}`)), "DENIED")
}

// TestToolSessionRequired: without a session and grants, the tool says so as the resource does.
func TestToolSessionRequired(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	disclosure.NewServer(shop(), &disclosure.Options{Tool: true}).AddTo(own)
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return own }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(web.Close)
	c := &client{Client: (&cashtest.Dialer{Version: "2026-07-28"}).ConnectHTTP(t, web.URL), t: t}
	wantCode(t, c.Tool(disclosure.ToolName, json.RawMessage(`{"tools":["ping"]}`)), "SESSION_REQUIRED")
}
