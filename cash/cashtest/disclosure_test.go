package cashtest_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// disclosing returns the face of the fixture's functions, with grants if a client
// without a session is to be served, and then with the tool for the descriptions, too.
func disclosing(grants bool) *disclosure.Server {
	opts := &disclosure.Options{Name: "fixture", Tool: grants, Serve: serve.Options{Middleware: []registry.Middleware{closed}}}
	if grants {
		opts.Grants = new(disclosure.Grants)
	}
	return disclosure.NewServer(fixture{os.DevNull}.registry(), opts)
}

// closed denies a function to everyone.
func closed(next registry.Handler) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		if c.Function.FlatName() == "Order_Mgmt-summary" {
			return nil, &registry.Error{Kind: registry.Denied, Message: "Nobody may."}
		}
		return next(ctx, c)
	}
}

func disclosureTarget(version string, transport func() mcp.Transport) check.DisclosureTarget {
	return check.DisclosureTarget{
		Transport: transport,
		Strict:    true,
		Version:   version,
		Call:      &check.ToolCall{Tool: "Order_Mgmt-get", Arguments: map[string]any{"order_id": "ORD-7"}},
		Other:     &check.ToolCall{Tool: "ping"},
		Invalid:   map[string]any{"order_id": 7},
		Hidden:    "admin-report",
		Denied:    &check.ToolCall{Tool: "Order_Mgmt-summary"},
	}
}

func TestP24Disclosure(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		srv := disclosing(version >= "2026-07-28")
		t.Run("memory "+version, func(t *testing.T) {
			cashtest.Disclosure(t, disclosureTarget(version, func() mcp.Transport { return cashtest.InMemory(srv) }))
		})
		t.Run("http "+version, func(t *testing.T) {
			web := httptest.NewServer(srv.Handler())
			t.Cleanup(web.Close)
			cashtest.Disclosure(t, disclosureTarget(version, func() mcp.Transport {
				return &mcp.StreamableClientTransport{Endpoint: web.URL}
			}))
		})
	}
	t.Run("stdio", func(t *testing.T) {
		cashtest.Disclosure(t, disclosureTarget("", func() mcp.Transport {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), serveVar+"=disclosure")
			return &mcp.CommandTransport{Command: cmd}
		}))
	})
}

func ExampleDisclosure() {
	srv := disclosure.NewServer(reg, nil)
	cashtest.Disclosure(t, check.DisclosureTarget{
		Transport: func() mcp.Transport { return cashtest.InMemory(srv) },
		Strict:    true,
		Call:      &check.ToolCall{Tool: "orders-get", Arguments: map[string]any{"order_id": "ORD-1001"}},
	})
}
