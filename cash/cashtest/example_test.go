package cashtest_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/registry"
)

// In a real test these come from testing and from the package under test.
var (
	t   *testing.T
	srv = cash.NewServer(registry.New(nil), nil)
	reg = registry.New(nil)
)

func ExampleConnect() {
	client := cashtest.Connect(t, srv)
	reply := client.Call("orders", "get", map[string]any{"order_id": "ORD-1001"}).OK()

	var order struct{ Status string }
	reply.Decode(&order)
	if order.Status != "shipped" {
		t.Errorf("status %q", order.Status)
	}
}

func ExampleDialer() {
	admin := registry.WithCaller(context.Background(), &registry.Caller{ID: "ada", Roles: []string{"admin"}})
	client := (&cashtest.Dialer{Context: admin, Version: "2025-11-25"}).Connect(t, srv)
	client.Help("admin", "").OK()
}

func ExampleLink() {
	for _, link := range cashtest.Links() {
		t.Run(link.String(), func(t *testing.T) {
			link.Connect(t, srv, nil, nil).Help("", "").OK()
		})
	}
}

func ExampleCompliance() {
	cashtest.Compliance(t, check.Target{
		Transport: func() mcp.Transport { return cashtest.InMemory(srv) },
		Strict:    true,
		Read:      &check.Sample{Namespace: "orders", Function: "get", Kwargs: map[string]any{"order_id": "ORD-1001"}},
		Large:     &check.Sample{Namespace: "orders", Function: "list"},
	})
}

func ExampleHostile() {
	cashtest.Hostile(t, check.HostileTarget{
		Command: func() *exec.Cmd { return exec.Command("./shop", "-stdio") },
		Calls:   []string{`{"name":"call","arguments":{"namespace":"orders","function":"get","kwargs":{"order_id":"ORD-1001"}}}`},
	})
}

func ExampleBudget() {
	client := cashtest.Connect(t, srv)
	cashtest.Budget(t, client, check.Budget{Tools: 2000, Index: 500, Namespace: 1000, Function: 1500})
	cashtest.LintClean(t, reg)
}
