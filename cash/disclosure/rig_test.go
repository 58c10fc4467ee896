package disclosure_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

const uri = disclosure.DefaultURI

var links = cashtest.Links()

// overAll runs a test over all links, each with a server of its own.
func overAll(t *testing.T, opts *disclosure.Options, test func(t *testing.T, c *client)) {
	t.Helper()
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			o := *opts
			if l == links[3] {
				o.Grants = new(disclosure.Grants)
			}
			test(t, over(t, l, disclosure.NewServer(shop(), &o), nil))
		})
	}
}

// over connects a client over a link, whose requests come from the caller.
func over(t testing.TB, l cashtest.Link, srv *disclosure.Server, c *registry.Caller) *client {
	t.Helper()
	return &client{Client: l.Connect(t, srv, c, nil), t: t, grants: map[string]string{}}
}

// connect connects a client in memory, for what does not depend on the link.
func connect(t testing.TB, srv *disclosure.Server, c *registry.Caller) *client {
	t.Helper()
	return over(t, links[1], srv, c)
}

// client is a client that does what a model does: it passes the grants that it
// was given.
type client struct {
	*cashtest.Client
	t      testing.TB
	grants map[string]string // by tool
}

// read returns the text of a resource, the one of its contents.
func (c *client) read(uri string) string {
	c.t.Helper()
	res, err := c.Session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		c.t.Fatalf("reading %s: %v", uri, err)
	}
	if len(res.Contents) != 1 || res.Contents[0].URI != uri || res.Contents[0].MIMEType != "application/json" {
		c.t.Fatalf("reading %s: %s", uri, toJSON(res))
	}
	if res.CacheScope != "private" && c.Session.InitializeResult().ProtocolVersion >= "2026-07-28" || res.TTLMs != 0 {
		c.t.Errorf("reading %s: cacheable as %+v", uri, res.Cacheable)
	}
	return res.Contents[0].Text
}

// entry is what is fetched of a tool.
type entry struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Examples    []struct {
		Description string          `json:"description"`
		Input       json.RawMessage `json:"input"`
	} `json:"examples"`
	Usage     map[string]string `json:"usage_guidance"`
	Errors    map[string]string `json:"error_guidance"`
	Version   string            `json:"version"`
	Error     string            `json:"error"`
	Available []string          `json:"available_tools"`
}

// fetch reads the descriptions of tools, as the query asks for them.
func (c *client) fetch(query string) map[string]entry {
	c.t.Helper()
	text := c.read(uri + "?" + query)
	var m map[string]entry
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		c.t.Fatalf("%s: %v: %s", query, err, text)
	}
	for name, e := range m {
		if g := e.Usage["_grant"]; g != "" {
			c.grants[name] = g
		}
	}
	return m
}

// call calls a tool, with the grant for it if there is one.
func (c *client) call(tool, args string) *cashtest.Reply {
	c.t.Helper()
	if g := c.grants[tool]; g != "" && args[0] == '{' {
		rest := args[1:]
		if rest != "}" {
			rest = "," + rest
		}
		args = fmt.Sprintf(`{"_grant":%q`, g) + rest
	}
	return c.Tool(tool, json.RawMessage(args))
}

// failure is an error on the wire.
type failure struct {
	Code        string         `json:"code"`
	Message     string         `json:"message"`
	ResourceURI string         `json:"resource_uri"`
	Examples    []string       `json:"examples"`
	Details     map[string]any `json:"details"`
}

func failureIn(t testing.TB, text string) failure {
	t.Helper()
	var body map[string]failure
	if err := json.Unmarshal([]byte(text), &body); err != nil || len(body) != 1 || body["error"].Code == "" {
		t.Fatalf("no error: %v: %.300s", err, text)
	}
	return body["error"]
}

func wantCode(t testing.TB, r *cashtest.Reply, code string) failure {
	t.Helper()
	if !r.IsError {
		t.Fatalf("no error, want %s: %.300s", code, r.Text)
	}
	f := failureIn(t, r.Text)
	if f.Code != code {
		t.Fatalf("code %s, want %s: %s", f.Code, code, f.Message)
	}
	return f
}

func required(tool string) string {
	return `{"error":{"code":"TOOL_DESCRIPTION_REQUIRED","message":"Tool '` + tool + `' requires fetching its description before use.",` +
		`"resource_uri":"` + uri + `?tools=` + tool + `"}}`
}

func missing(uri string) string {
	return `{"error":{"code":"MISSING_TOOL_SELECTION","message":"You must specify one or more tool names in the 'tools' parameter.",` +
		`"examples":["` + uri + `?tools=tool_name","` + uri + `?tools=tool1,tool2"]}}`
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// ran counts the runs of orders-create of all shops.
var ran atomic.Int64

type createOrder struct {
	CustomerID string `json:"customer_id" jsonschema:"Unique customer identifier." cash:"example=C-42"`
	Quantity   int    `json:"quantity" jsonschema:"How many." cash:"min=1"`
	Priority   string `json:"priority,omitempty" jsonschema:"Handling priority." cash:"enum=low|high,default=low"`
	Channel    string `json:"channel,omitempty" jsonschema:"Sales channel." cash:"advanced,example=WEB"`
}

type order struct {
	ID    string `json:"id"`
	Total int    `json:"total"`
}

type none struct{}

// shop is a registry with a function for every special case.
func shop() *registry.Registry {
	reg := registry.New(nil)
	orders := reg.Namespace("orders", "Create and manage customer orders.")
	get := registry.Func("get", "Retrieve the order of a customer_id. Second sentence.\n\nExample: get(1)",
		func(_ context.Context, in struct {
			CustomerID string `json:"customer_id" jsonschema:"Whose."`
		}) (order, error) {
			return order{ID: in.CustomerID}, nil
		}, registry.ReadOnly)
	drop := registry.Func("drop", "Delete all orders.", func(context.Context, none) (string, error) { return "gone", nil }, registry.Destructive(true))
	orders.Add(get, drop, registry.Func("create", "Create a new order for a customer. Stock is reserved at once.",
		func(_ context.Context, in createOrder) (order, error) {
			ran.Add(1)
			return order{ID: in.CustomerID, Total: in.Quantity}, nil
		}), registry.Func("fail", "Fail with a message.", func(context.Context, none) (string, error) {
		return "", errors.New("the warehouse is closed")
	}))
	reg.Namespace("admin", "Administer the shop.", registry.VisibleTo(registry.Roles("admin"))).
		Add(registry.Func("report", "Report on the shop.", func(context.Context, none) (string, error) { return "well", nil }))
	reg.Namespace("", "").Add(registry.Func("ping", "Check that the server answers.",
		func(context.Context, none) (string, error) { return "pong", nil }))
	return reg
}

var names = []string{"orders-create", "orders-drop", "orders-fail", "orders-get", "ping"}

func toolNames(tools []*mcp.Tool) []string {
	var list []string
	for _, t := range tools {
		list = append(list, t.Name)
	}
	return list
}

func keys(m map[string]entry) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// byHeader makes callers of a header, over HTTP.
func byHeader(ctx context.Context, in *serve.Incoming) (*registry.Caller, error) {
	if in.Header != nil {
		if id := in.Header.Get("X-Caller"); id != "" {
			return &registry.Caller{ID: id, Roles: []string{id}}, nil
		}
		return nil, nil
	}
	return registry.CallerFrom(ctx), nil
}

var byHeaderOptions = serve.Options{Identify: byHeader}
