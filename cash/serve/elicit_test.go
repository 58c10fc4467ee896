package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// asker is a face whose tools ask by their results, whoever is at the other end.
type asker struct{}

func (asker) Instructions(context.Context) string { return "" }

func (asker) Add(srv *mcp.Server, host *serve.Host) {
	question := func(word string) mcp.InputRequest {
		return &mcp.ElicitParams{Message: word + "?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"word": map[string]any{"type": "string"}}}}
	}
	host.AddListed(srv, &serve.Listed{
		List: func(context.Context, *mcp.ListToolsRequest) (serve.ToolList, error) { return serve.ToolList{}, nil },
		Call: func(_ context.Context, name string, req *serve.Request) (*registry.Result, error) {
			switch {
			case name == "other":
				//lint:ignore SA1019 what is no question to a person
				return &registry.Result{InputRequests: mcp.InputRequestMap{"r": &mcp.ListRootsParams{}}}, nil
			case len(req.Client.Answers) == 0 || name == "insatiable":
				return &registry.Result{InputRequests: mcp.InputRequestMap{"a": question("a"), "b": question("b")}, RequestState: "kept"}, nil
			}
			word := func(id string) any { return req.Client.Answers[id].(*mcp.ElicitResult).Content["word"] }
			return registry.TextResult(fmt.Sprint(req.Client.State, word("a"), word("b"))), nil
		},
		Render: func(err error, _ json.RawMessage) *registry.Result {
			r := registry.TextResult(fmt.Sprint(registry.AsError(err).Kind))
			r.IsError = true
			return r
		},
	})
}

// TestListedAsksOlderClients holds that results which ask for more reach clients
// that know no such results as questions.
func TestListedAsksOlderClients(t *testing.T) {
	ts := httptest.NewServer(serve.New(asker{}, &mcp.Implementation{Name: "asker"}, nil).Handler())
	t.Cleanup(ts.Close)
	replies := func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": " " + req.Params.Message}}, nil
	}
	fails := func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, errors.New("no") }
	for _, tt := range []struct {
		tool, want string
		person     func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
	}{
		{"asks", "kept a? b?", replies},
		{"asks", "UNAVAILABLE", nil},
		{"asks", "UNAVAILABLE", fails},
		{"other", "UNAVAILABLE", replies},
		{"insatiable", "UNAVAILABLE", replies},
	} {
		// The client does not know such results either.
		client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{ElicitationHandler: tt.person, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}})
		s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: ts.URL}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool})
		if err != nil || len(r.Content) != 1 || r.Content[0].(*mcp.TextContent).Text != tt.want || r.InputRequests != nil {
			t.Errorf("%s: %+v, %v; want %s", tt.tool, r, err, tt.want)
		}
	}
}
