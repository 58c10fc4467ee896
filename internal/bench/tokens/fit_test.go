package main

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// recorded is the catalog of a real server.
func recorded(t *testing.T, server string) *registry.Registry {
	t.Helper()
	c := catalog.New(nil)
	if _, err := c.LoadFile("catalogs/" + server + ".json"); err != nil {
		t.Fatal(err)
	}
	return c.Tools()
}

// TestFitTokens: the estimate of package plain is near to what the definitions
// of real servers cost.
func TestFitTokens(t *testing.T) {
	for _, server := range servers {
		src := recorded(t, server)
		a, err := plain.Fit(t.Context(), src, plain.Client{})
		if err != nil {
			t.Fatal(err)
		}
		functions, err := registry.Flat(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		exact := 0
		for _, f := range functions {
			definition, err := json.Marshal(map[string]any{"name": f.FlatName(), "description": f.Description(), "inputSchema": f.InputSchema()})
			if err != nil {
				t.Fatal(err)
			}
			exact += card.CL100K().Count(string(definition), math.MaxInt)
		}
		if a.Tools != len(functions) || math.Abs(float64(a.Tokens-exact)) > 0.15*float64(exact) {
			t.Errorf("%s: %d tools for %d tokens, want %d for %d", server, a.Tools, a.Tokens, len(functions), exact)
		}
	}
}

// TestFitCalls: what is advised for a small server depends on how many of its
// tools are called.
func TestFitCalls(t *testing.T) {
	for _, tt := range []struct {
		calls int
		want  plain.Face
	}{{0, plain.Facade}, {-5, plain.Facade}, {3, plain.Plain}, {math.MaxInt, plain.Plain}} {
		a, err := plain.Fit(t.Context(), recorded(t, "memory"), plain.Client{Calls: tt.calls})
		if err != nil || a.Face != tt.want || a.Tools != 9 {
			t.Errorf("%d calls: %+v, %v; want %s", tt.calls, a, err, tt.want)
		}
	}
}
