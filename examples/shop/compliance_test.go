package main

import (
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

// The shop keeps the specification, with all that it recommends, over every
// transport and in both generations of the protocol.
func TestCompliance(t *testing.T) {
	versions := protocolVersions
	if testing.Short() {
		versions = versions[1:] // it takes minutes with the race detector
	}
	for _, version := range versions {
		t.Run("in memory "+version, func(t *testing.T) {
			shop := store.New()
			srv := newServer(shopGoods(shop, "cash"))
			target := newTarget(version, func() mcp.Transport { return cashtest.InMemory(srv) })
			target.Effect = restock(t, shop)
			cashtest.Compliance(t, target)
		})
		t.Run("http "+version, func(t *testing.T) {
			shop := store.New()
			ts := httptest.NewServer(newServer(shopGoods(shop, "cash")).Handler())
			t.Cleanup(ts.Close) // after the client's connections
			target := newTarget(version, func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: ts.URL} })
			target.Effect = restock(t, shop)
			cashtest.Compliance(t, target)
		})
		t.Run("stdio "+version, func(t *testing.T) {
			// Each connection is a process of its own, so effects can't be counted.
			cashtest.Compliance(t, newTarget(version, func() mcp.Transport {
				return &mcp.CommandTransport{Command: command(t, "-stdio")}
			}))
		})
	}
}

func newTarget(version string, transport func() mcp.Transport) check.Target {
	return check.Target{
		Transport: transport,
		Strict:    true,
		Version:   version,
		Read:      &check.Sample{Namespace: "orders", Function: "get", Kwargs: store.OrderRef{OrderID: "ORD-1001"}},
		Large:     &check.Sample{Namespace: "orders", Function: "list"},
		Fails:     []check.Sample{{Namespace: "orders", Function: "get", Kwargs: store.OrderRef{OrderID: "ORD-1"}}},
		Skill: &check.SkillSample{
			Namespace: "orders", Name: "monthlyreport",
			Inputs: map[string]string{"since": "2026-01-01"},
			Keeps:  []string{`call(namespace="orders", function="summary")`},
		},
	}
}

// restock is a call that changes the stock of a product, which tells how often
// it was made.
func restock(t *testing.T, shop *store.Shop) *check.Effect {
	return &check.Effect{
		Sample: check.Sample{Namespace: "inventory", Function: "restock", Kwargs: store.Restock{ProductID: "P-12", Quantity: 1}},
		Runs:   func() int { return stock(t, shop, "P-12") }, // sold out at the start
	}
}

func stock(t *testing.T, shop *store.Shop, product string) int {
	t.Helper()
	a, err := shop.CheckStock(t.Context(), store.CheckStock{ProductID: product, Quantity: 1})
	if err != nil {
		t.Fatal(err)
	}
	return a.InStock
}

// What the shop costs a model, with some room to grow.
func TestBudget(t *testing.T) {
	srv := newServer(shopGoods(store.New(), "cash"))
	cashtest.Budget(t, cashtest.Connect(t, srv), check.Budget{
		Tools: 2000, Instructions: 200, Index: 400, Namespace: 500, Function: 1000, Skills: 300,
	})
}
