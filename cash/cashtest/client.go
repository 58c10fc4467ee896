package cashtest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Client calls the three tools of a CaSH server. Its methods fail the test
// at once on protocol errors and on requests that are not answered in time; a
// result with isError is a [Reply] like others. It may be used by several
// goroutines, as far as the test may be ended from there.
type Client struct {
	// Session is the SDK's session, for all that the methods do not cover.
	Session *mcp.ClientSession

	t       reporter
	timeout time.Duration
}

// reporter is what of a *testing.T is needed to report.
type reporter interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// with returns c reporting to t.
func (c *Client) with(t reporter) *Client {
	d := *c
	d.t = t
	return &d
}

// Call runs a function (RFC 4.1). An empty namespace is omitted, as are nil
// kwargs; others are anything that marshals to JSON, such as a map, a struct
// or a [json.RawMessage].
func (c *Client) Call(namespace, function string, kwargs any) *Reply {
	c.t.Helper()
	return c.Tool("call", Sample{Namespace: namespace, Function: function, Kwargs: kwargs}.args())
}

// Help asks for a page of help (RFC 4.2). What is empty is omitted.
func (c *Client) Help(namespace, function string) *Reply {
	c.t.Helper()
	return c.Tool("help", named("namespace", namespace, "function", function))
}

// Skill asks for a skill, or with an empty name for a list (RFC 4.3). What is
// empty is omitted; inputs of a skill are passed with [Client.Tool].
func (c *Client) Skill(namespace, name string) *Reply {
	c.t.Helper()
	return c.Tool("skill", named("namespace", namespace, "skillname", name))
}

// Tool calls an MCP tool with arguments of any kind: what marshals to JSON, or
// JSON itself as a [json.RawMessage]. Nil sends an empty object.
func (c *Client) Tool(name string, args any) *Reply {
	c.t.Helper()
	reply, err := c.try(name, args)
	if err != nil {
		c.t.Fatalf("tools/call %q: %v", name, err)
	}
	return reply
}

// Tools returns the tools of the server, all pages of them.
func (c *Client) Tools() []*mcp.Tool {
	c.t.Helper()
	tools, _, err := c.list()
	if err != nil {
		c.t.Fatalf("tools/list: %v", err)
	}
	return tools
}

func (c *Client) try(name string, args any) (*Reply, error) {
	res, err := within(c.timeout, func(ctx context.Context) (*mcp.CallToolResult, error) {
		return c.Session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	})
	if err != nil {
		return nil, err
	}
	return newReply(c.t, res), nil
}

// maxToolPages bounds the pages of tools that are asked for: a server that
// never ends its list is answered by a failing row, not by a hanging test.
const maxToolPages = 100

func (c *Client) list() (tools []*mcp.Tool, pages int, err error) {
	params := &mcp.ListToolsParams{}
	for pages < maxToolPages {
		res, err := within(c.timeout, func(ctx context.Context) (*mcp.ListToolsResult, error) {
			return c.Session.ListTools(ctx, params)
		})
		if err != nil {
			return nil, pages, err
		}
		tools = append(tools, res.Tools...)
		pages++
		if res.NextCursor == "" {
			break
		}
		params = &mcp.ListToolsParams{Cursor: res.NextCursor}
	}
	return tools, pages, nil
}

// object is the arguments of a tool.
type object map[string]any

// named returns the arguments of pairs of a name and a text, without empty
// texts.
func named(pairs ...string) object {
	o := object{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			o[pairs[i]] = pairs[i+1]
		}
	}
	return o
}

// and returns a copy of o with one more member.
func (o object) and(name string, value any) object {
	c := make(object, len(o)+1)
	for k, v := range o {
		c[k] = v
	}
	c[name] = value
	return c
}

// String returns o as JSON.
func (o object) String() string {
	if o == nil {
		return "{}"
	}
	data, err := json.Marshal(map[string]any(o))
	if err != nil {
		return "{...}"
	}
	return string(data)
}
