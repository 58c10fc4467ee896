package upstream_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// TestSwapReplacesUnreachable: after Swap, a server shows its tools, resources and prompts, whatever was known of the one
// before.
func TestSwapReplacesUnreachable(t *testing.T) {
	one := newReplica(t, upstream.Options{}, upstream.Server{Label: "a", Endpoint: upstream.InMemory{Server: refusing{}}})
	if page, err := one.Help(t.Context(), nil); err != nil || !strings.Contains(page, "available: false") {
		t.Fatalf("help: %v, %s", err, page)
	}
	if err := one.agg.Swap(t.Context(), upstream.Server{Label: "a", Endpoint: upstream.InMemory{Server: rich()}}); err != nil {
		t.Fatal(err)
	}
	if page, err := one.Help(t.Context(), nil); err != nil || strings.Contains(page, "available: false") || strings.Count(one.shows(), "a.") < 3 {
		t.Errorf("after the swap: %v, %s, %s", err, page, one.shows())
	}
	if _, err := one.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: "run"}); err != nil {
		t.Errorf("a call after the swap: %v", err)
	}
}

// TestSwapConnects: Swap reads the new server, whatever other replicas or the pins know of it, and whether it is lazy or
// not.
func TestSwapConnects(t *testing.T) {
	inner := rich()
	r := plainRemote(t, inner)
	opts := upstream.Options{Catalogs: lastknown.NewMemory(0, nil), Pins: pin.NewMemory(), Mode: pin.FirstUse}
	newReplica(t, opts, r.as("shop"))
	for name, lazy := range map[string]bool{"eager": false, "lazy": true} {
		t.Run(name, func(t *testing.T) {
			next := r.as("shop")
			next.Lazy = lazy
			one := newReplica(t, opts, upstream.Server{Label: "shop", Endpoint: upstream.InMemory{Server: mcp.NewServer(&mcp.Implementation{Name: "old"}, nil)}})
			r.away.Store(true)
			if err := one.agg.Swap(t.Context(), next); err == nil || !strings.Contains(err.Error(), "cannot be read") || one.status(t).Server != "old" {
				t.Errorf("while it is away: %v, %+v", err, one.status(t))
			}
			r.away.Store(false)
			before := r.requests("tools/list")
			if err := one.agg.Swap(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			if s := one.status(t); s.State != upstream.Connected || !s.LastKnown.IsZero() || r.requests("tools/list") == before || !strings.Contains(one.shows(), "shop.run") {
				t.Errorf("after the swap: %+v, %s", s, one.shows())
			}
		})
	}
}
