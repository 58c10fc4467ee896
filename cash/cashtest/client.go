package cashtest

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// A Client calls the three tools of a CaSH server. Its methods end the test on protocol errors and missed
// deadlines. A result with isError is an ordinary [Reply]. Several goroutines may use it if they may end the test.
type Client struct {
	// Session is the SDK's session, for everything else.
	Session *mcp.ClientSession

	t    testing.TB
	conn *client.Conn
}

// Call runs a function (RFC 4.1). An empty namespace and nil kwargs are omitted. kwargs may be anything that
// encodes to JSON, such as a map, a struct or a [json.RawMessage].
func (c *Client) Call(namespace, function string, kwargs any) *Reply {
	c.t.Helper()
	args := client.Named("namespace", namespace, "function", function)
	if kwargs != nil {
		args["kwargs"] = kwargs
	}
	return c.Tool("call", args)
}

// Help requests a page of help (RFC 4.2). Empty arguments are omitted.
func (c *Client) Help(namespace, function string) *Reply {
	c.t.Helper()
	return c.Tool("help", client.Named("namespace", namespace, "function", function))
}

// Skill requests a skill, or with an empty name a list of skills (RFC 4.3). Empty arguments are omitted. To pass
// inputs of a skill, use [Client.Tool].
func (c *Client) Skill(namespace, name string) *Reply {
	c.t.Helper()
	return c.Tool("skill", client.Named("namespace", namespace, "skillname", name))
}

// Tool calls an MCP tool with any arguments that encode to JSON, such as a [json.RawMessage]. Nil sends an empty
// object.
func (c *Client) Tool(name string, args any) *Reply {
	c.t.Helper()
	reply, err := c.conn.Tool(name, args)
	if err != nil {
		c.t.Fatalf("tools/call %q: %v", name, err)
	}
	return &Reply{reply.Text, reply.IsError, reply.Raw, c.t}
}

// Tools returns the server's tools from all pages.
func (c *Client) Tools() []*mcp.Tool {
	c.t.Helper()
	tools, _, err := c.conn.Tools()
	if err != nil {
		c.t.Fatalf("tools/list: %v", err)
	}
	return tools
}

// A Reply is the result of a tool.
type Reply struct {
	// Text is the text content. Blocks are joined by line breaks.
	Text string
	// IsError reports whether the result is an error.
	IsError bool
	// Raw is the result as the SDK decoded it. Texts are exact; numbers in structured content may be rounded.
	Raw *mcp.CallToolResult

	t testing.TB
}

// OK ends the test if r is an error, and returns r.
func (r *Reply) OK() *Reply {
	r.t.Helper()
	if r.IsError {
		r.t.Fatalf("the reply is an error: %.1000s", r.Text)
	}
	return r
}

// Decode decodes the text as JSON into v. It ends the test if that fails, or if r is an error.
func (r *Reply) Decode(v any) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.OK().Text), v); err != nil {
		r.t.Fatalf("the reply is not the JSON that was asked for: %v: %.1000s", err, r.Text)
	}
}

// Chars returns the number of characters of the text.
func (r *Reply) Chars() int { return utf8.RuneCountInString(r.Text) }
