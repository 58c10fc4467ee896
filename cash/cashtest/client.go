package cashtest

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// A Client calls the three tools of a CaSH server. Its methods fail the test
// at once on protocol errors and on requests that are not answered in time; a
// result with isError is a [Reply] like others. It may be used by several
// goroutines, as far as the test may be ended from there.
type Client struct {
	// Session is the SDK's session, for all that the methods do not cover.
	Session *mcp.ClientSession

	t    testing.TB
	conn *client.Conn
}

// Call runs a function (RFC 4.1). An empty namespace is omitted, as are nil
// kwargs; others are anything that marshals to JSON, such as a map, a struct
// or a [json.RawMessage].
func (c *Client) Call(namespace, function string, kwargs any) *Reply {
	c.t.Helper()
	args := client.Named("namespace", namespace, "function", function)
	if kwargs != nil {
		args["kwargs"] = kwargs
	}
	return c.Tool("call", args)
}

// Help asks for a page of help (RFC 4.2). What is empty is omitted.
func (c *Client) Help(namespace, function string) *Reply {
	c.t.Helper()
	return c.Tool("help", client.Named("namespace", namespace, "function", function))
}

// Skill asks for a skill, or with an empty name for a list (RFC 4.3). What is
// empty is omitted; inputs of a skill are passed with [Client.Tool].
func (c *Client) Skill(namespace, name string) *Reply {
	c.t.Helper()
	return c.Tool("skill", client.Named("namespace", namespace, "skillname", name))
}

// Tool calls an MCP tool with arguments of any kind: what marshals to JSON, or
// JSON itself as a [json.RawMessage]. Nil sends an empty object.
func (c *Client) Tool(name string, args any) *Reply {
	c.t.Helper()
	reply, err := c.conn.Tool(name, args)
	if err != nil {
		c.t.Fatalf("tools/call %q: %v", name, err)
	}
	return &Reply{reply.Text, reply.IsError, reply.Raw, c.t}
}

// Tools returns the tools of the server, all pages of them.
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
	// Text is the text content, blocks joined by line breaks.
	Text string
	// IsError says that the result is one that tells of an error.
	IsError bool
	// Raw is the result as the SDK's client decoded it: the texts are exact,
	// numbers in structured content may be rounded.
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

// Decode reads the text as JSON into v, and ends the test if that is not
// possible, or if r is an error.
func (r *Reply) Decode(v any) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.OK().Text), v); err != nil {
		r.t.Fatalf("the reply is not the JSON that was asked for: %v: %.1000s", err, r.Text)
	}
}

// Chars returns the number of characters of the text.
func (r *Reply) Chars() int { return utf8.RuneCountInString(r.Text) }
