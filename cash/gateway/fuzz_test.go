package gateway_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// FuzzMetaTools holds that any arguments of any of the gateway's tools are answered
// by a result, and that what is an error has the shape of one.
func FuzzMetaTools(f *testing.F) {
	s := newShop()
	resources, prompts, resource, prompt := primitives(f)
	var clients []*mcp.ClientSession
	var tools [][]string
	for _, mode := range []gateway.Mode{gateway.Gateway, gateway.Proxy} {
		c := inMemory(f, gateway.NewServer(s, &gateway.Options{
			Mode: mode, Resources: resources, Prompts: prompts, Serve: serve.Options{
				Repair:   true,
				Controls: &control.Controls{Plans: control.NewPlans(nil)},
			}, Structured: true, CacheStable: mode == gateway.Gateway,
		}), named("ann"))
		var names []string
		for _, tool := range c.Tools() {
			if len(tool.InputSchema.(map[string]any)) > 1 { // not a stripped one
				names = append(names, tool.Name)
			}
		}
		clients, tools = append(clients, c.Session), append(tools, names)
	}
	create := toJSON(s.id(f, "orders.create"))
	for i, args := range []string{
		`{}`, `null`, `[]`, `"x"`, `7`, `{"query":"orders"}`, `{"path":"/orders","top_k":1e400}`, `{"path":"/orders","offset":-0}`, `{"query":"a","query":"b"}`,
		`{"tool_id":` + create + `,"args":{"customer":"c","quantity":1}}`, `{"tool_id":` + create + `,"args":"{\"quantity\":\"1\"}","dry_run":true}`,
		`{"tool_id":` + create + `,"plan_token":"x"}`, `{"resource_id":` + toJSON(resource) + `}`, `{"prompt_id":` + toJSON(prompt) + `,"args":{"topic":"x"}}`,
		`{"handle":"x","selector":{"type":"rows"}}`, `{"handle":"x","selector":"{"}`, `{"tool_id":"%3A%23"}`, "{\"query\":\"\xff\"}", `{"":{}}`,
	} {
		for tool := range 8 {
			f.Add(byte(tool*16+i%2), []byte(args))
		}
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		side := int(which) % 2
		name := tools[side][int(which/16)%len(tools[side])]
		args := json.RawMessage(data)
		if !json.Valid(data) {
			args = json.RawMessage(toJSON(string(data))) // no transport lets it through otherwise
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		res, err := clients[side].CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatalf("%s %q: %v", name, args, err)
		}
		if len(res.Content) == 0 {
			t.Fatalf("%s %q: nothing", name, args)
		}
		text, ok := res.Content[0].(*mcp.TextContent)
		if !ok || text.Text == "" {
			t.Fatalf("%s %q: no text", name, args)
		}
		if res.IsError {
			if _, err := checkError(text.Text); err != nil {
				t.Fatalf("%s %q: %v in %s", name, args, err, text.Text)
			}
		}
	})
}
