package main

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

// The shop keeps the specification, with all that it recommends.
func TestCompliance(t *testing.T) {
	shop := store.New()
	srv := newServer(newRegistry(shop))
	for _, version := range protocolVersions {
		t.Run(version, func(t *testing.T) {
			cashtest.Compliance(t, cashtest.Target{
				Transport: func() mcp.Transport { return cashtest.InMemory(srv) },
				Strict:    true,
				Version:   version,
				Read:      &cashtest.Sample{Namespace: "orders", Function: "get", Kwargs: store.OrderRef{OrderID: "ORD-1001"}},
				Large:     &cashtest.Sample{Namespace: "orders", Function: "list"},
				Fails:     []cashtest.Sample{{Namespace: "orders", Function: "get", Kwargs: store.OrderRef{OrderID: "ORD-1"}}},
				Effect: &cashtest.Effect{
					Sample: cashtest.Sample{Namespace: "inventory", Function: "restock", Kwargs: store.Restock{ProductID: "P-12", Quantity: 1}},
					Runs:   func() int { return stock(t, shop, "P-12") }, // sold out at the start
				},
				Skill: &cashtest.SkillSample{
					Namespace: "orders", Name: "monthlyreport",
					Inputs: map[string]string{"since": "2026-01-01"},
					Keeps:  []string{`call(namespace="orders", function="summary")`},
				},
			})
		})
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
	srv := newServer(newRegistry(store.New()))
	cashtest.Budget{
		Tools: 2000, Instructions: 200, Index: 400, Namespace: 500, Function: 1000, Skills: 300,
	}.Check(t, cashtest.Connect(t, srv))
}
