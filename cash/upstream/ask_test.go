package upstream_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

var askSchema = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)

// greeter asks for a name, in the way of the protocol version of its client,
// and greets it.
func greeter(version string) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "greeter"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{version}})
	srv.AddTool(&mcp.Tool{Name: "greet", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			q := &mcp.ElicitParams{Message: "Who is there?", RequestedSchema: askSchema}
			var a *mcp.ElicitResult
			if version <= "2025-11-25" {
				var err error
				if a, err = req.Session.Elicit(ctx, q); err != nil {
					return nil, err
				}
			} else if a, _ = req.Params.InputResponses["who"].(*mcp.ElicitResult); a == nil {
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": q}, RequestState: "at the door"}, nil
			} else if req.Params.RequestState != "at the door" {
				return text("who are you?"), nil
			}
			if a.Action != "accept" {
				return text(a.Action), nil
			}
			return text("hello " + a.Content["name"].(string)), nil
		})
	return srv
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

var versions = []string{"2025-11-25", "2026-07-28"}

// A question of a server reaches the person behind the call, whatever
// generation of the protocol is spoken on either side.
func TestW39Elicitation(t *testing.T) {
	for _, theirs := range versions {
		for _, ours := range versions {
			t.Run("server "+theirs+", client "+ours, func(t *testing.T) {
				srv := serving(t, upstream.Server{Label: "door", Endpoint: upstream.InMemory{Server: greeter(theirs)}})
				asked := 0
				d := cashtest.Dialer{Version: ours, Client: &mcp.ClientOptions{
					ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						asked++
						if req.Params.Message != "Who is there?" {
							t.Errorf("asked %q", req.Params.Message)
						}
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
					},
				}}
				if got := d.Connect(t, srv).Call("door", "greet", nil).OK().Text; got != "hello Ada" || asked != 1 {
					t.Errorf("the answer is %q after %d questions", got, asked)
				}
			})
		}
	}
}

// Who cannot be asked is not waited for.
func TestW39ElicitationWithoutAPerson(t *testing.T) {
	for _, theirs := range versions {
		for _, ours := range versions {
			t.Run("server "+theirs+", client "+ours, func(t *testing.T) {
				srv := serving(t, upstream.Server{Label: "door", Endpoint: upstream.InMemory{Server: greeter(theirs)}})
				d := cashtest.Dialer{Version: ours}
				r := d.Connect(t, srv).Call("door", "greet", nil)
				if theirs == versions[0] && r.Text != "cancel" || theirs == versions[1] && !r.IsError {
					t.Errorf("the answer is %v %q", r.IsError, r.Text)
				}
			})
		}
	}
}
