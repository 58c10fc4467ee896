package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
)

// bad is a face whose tools are the SDK's, and return what cannot be written.
type bad map[string]func() (*mcp.CallToolResult, error)

func (bad) Instructions(context.Context) string { return "" }

func (b bad) Add(srv *mcp.Server, _ *serve.Host) {
	for name, f := range b {
		srv.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return f()
		})
	}
}

// refuses is a value whose JSON form fails, or panics.
type refuses struct{ panics bool }

func (r refuses) MarshalJSON() ([]byte, error) {
	if r.panics {
		panic("the secret")
	}
	return nil, errors.New("the secret")
}

// TestUnencodable holds that what cannot be written as JSON is an internal error
// for the call that it answers, and costs nobody else anything.
func TestUnencodable(t *testing.T) {
	structured := func(v any) func() (*mcp.CallToolResult, error) {
		return func() (*mcp.CallToolResult, error) { return &mcp.CallToolResult{StructuredContent: v}, nil }
	}
	wire := func(err error) func() (*mcp.CallToolResult, error) {
		return func() (*mcp.CallToolResult, error) { return nil, err }
	}
	text := &mcp.TextContent{Text: "fine"}
	face := bad{
		"channel":  structured(make(chan int)),
		"half":     structured(json.RawMessage(`{"a":`)),
		"infinite": structured(math.Inf(1)),
		"refuses":  structured(refuses{}),
		"panics":   structured(refuses{true}),
		"meta":     func() (*mcp.CallToolResult, error) { return &mcp.CallToolResult{Meta: mcp.Meta{"a": func() {}}}, nil },
		"block meta": func() (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Meta: mcp.Meta{"a": math.NaN()}}}}, nil
		},
		"nothing": func() (*mcp.CallToolResult, error) { return nil, nil },
		"data":    wire(&jsonrpc.Error{Code: -32001, Message: "kept", Data: json.RawMessage(`{"x":"\x1b"}`)}),
		"plain":   wire(errors.New("kept")),
		"wrapped": wire(fmt.Errorf("kept: %w", &jsonrpc.Error{Code: -32001, Message: "inner"})),
		"long":    wire(&jsonrpc.Error{Code: -32001, Message: strings.Repeat("kept ", 1<<18), Data: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}),
		"fine": func() (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{text}, StructuredContent: json.RawMessage(`{"a":1e400}`), Meta: mcp.Meta{"a": map[string]any{"b": 1}}}, nil
		},
	}
	for name := range face { // names of tools have no blanks
		if plain := strings.ReplaceAll(name, " ", "_"); plain != name {
			face[plain] = face[name]
			delete(face, name)
		}
	}
	for link, c := range raws(t, serve.New(face, &mcp.Implementation{Name: "bad"}, nil)) {
		t.Run(link, func(t *testing.T) {
			for name := range face {
				_, answer := c.send(t, "5", "tools/call", fmt.Sprintf(`"name":%q,"arguments":{}`, name))
				want := "-32603"
				switch name {
				case "data", "wrapped", "long":
					want = `-32001,"message":"kept`
				case "plain":
					want = `-32603,"message":"kept"`
				case "fine":
					want = `"structuredContent":{"a":1e400}`
				}
				if member(t, answer, "id") != "5" || !strings.Contains(answer, want) || strings.Contains(answer, "secret") || len(answer) > 2_000 {
					t.Errorf("%s: %.400s", name, answer)
				}
				c.alive(t)
			}
		})
	}
}
