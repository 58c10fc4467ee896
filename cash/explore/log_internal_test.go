package explore

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// TestLogCutSecret: the cut of arguments leaves no part of a secret.
func TestLogCutSecret(t *testing.T) {
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	log := NewLog(&LogOptions{Arguments: true})
	run := log.Middleware(func(context.Context, *registry.Call) (*registry.Result, error) {
		return registry.TextResult("done"), nil
	})
	for before := 1950; before <= 2000; before += 5 { // within the secret, the cut comes at 2,000
		r := observe.Request{Method: "tools/call"}
		ctx := log.Begin(t.Context(), &r)
		if _, err := run(ctx, &registry.Call{Arguments: json.RawMessage(`{"a":"` + strings.Repeat("x ", before/2) + secret + `"}`)}); err != nil {
			t.Fatal(err)
		}
		log.End(ctx, &r)
		for _, e := range log.entries() {
			if strings.Contains(e.Arguments, "ghp_") || len([]rune(e.Arguments)) > 2001 {
				t.Fatalf("after %d characters: %q", before, e.Arguments[max(0, len(e.Arguments)-60):])
			}
		}
	}
}
