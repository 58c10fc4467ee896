package cash_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestRepair holds that kwargs which came as text are taken through MCP where
// the server repairs (R14, W30), and refused where it does not.
func TestRepair(t *testing.T) {
	type in struct {
		Count int `json:"count"`
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("double", "", func(_ context.Context, v in) (int, error) { return 2 * v.Count, nil }))
	for _, repair := range []bool{true, false} {
		srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Repair: repair}})
		client := connect(t, t.Context(), srv)
		for _, kwargs := range []any{`{"count":"21"}`, map[string]any{"count": " 21 "}} {
			r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"function": "double", "kwargs": kwargs}})
			if err != nil {
				t.Fatal(err)
			}
			text := r.Content[0].(*mcp.TextContent).Text
			if repair && (r.IsError || text != "42") || !repair && (!r.IsError || strings.Contains(text, "21")) {
				t.Errorf("repair %t: %v is answered with %q", repair, kwargs, text)
			}
		}
		_, err := srv.Call(t.Context(), &cash.CallRequest{Function: "double", Kwargs: json.RawMessage(`{"count":"x"}`)})
		if err == nil {
			t.Errorf("repair %t: a word is taken as a number", repair)
		}
	}
}
