package cash_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// A typed function finds its call in its context: it reports progress, logs, asks and reads the request's
// metadata, and its result still passes the gate.
func TestCallFrom(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("work", "Work.", func(ctx context.Context, _ none) (string, error) {
		c := registry.CallFrom(ctx)
		if err := c.Report(ctx, registry.Progress{Done: 1, Total: 2, Message: "half"}); err != nil {
			return "", err
		}
		answer, err := c.Client.Elicit(ctx, &mcp.ElicitParams{Message: "Go on?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(c.Function.Path(), " ", c.Client.Meta["example.com/tenant"], " ", answer.Action, strings.Repeat(".", 20_000)), nil
	}))
	progress := make(chan *mcp.ProgressNotificationParams, 1)
	ours, theirs := mcp.NewInMemoryTransports()
	go func() { _ = cash.NewServer(reg, nil).Run(t.Context(), theirs) }() // ends with the test
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { progress <- req.Params },
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept"}, nil
		},
	})
	session, err := client.Connect(t.Context(), ours, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, tt := range []struct {
		limit int
		want  string
	}{{30_000, "work acme accept"}, {100, "characters"}} {
		params := &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"function": "work", "sizelimit": tt.limit}, Meta: mcp.Meta{"example.com/tenant": "acme"}}
		params.SetProgressToken("p")
		r, err := session.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, tt.want) || len(text) > tt.limit+1000 {
			t.Errorf("within %d: %.300s", tt.limit, text)
		}
		if p := <-progress; p.Message != "half" {
			t.Errorf("%+v", p)
		}
	}
	if c := registry.CallFrom(t.Context()); c != nil || c.Report(t.Context(), registry.Progress{}) != nil {
		t.Errorf("outside of a function: %+v", c)
	}
}
