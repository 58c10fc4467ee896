package upstream_test

import (
	"context"

	"github.com/cash-mcp/go-sdk/registry"
)

type getOrder struct {
	OrderID string `json:"order_id" jsonschema:"Identifier of the order."`
}

// newShop is a small CaSH server's registry.
func newShop() *registry.Registry {
	reg := registry.New(nil)
	orders := reg.Namespace("orders", "Create and manage orders.")
	get := registry.Func("get", "Retrieve an order.", func(_ context.Context, in getOrder) (string, error) { return "order " + in.OrderID, nil }, registry.ReadOnly)
	cancel := registry.Func("cancel", "Cancel an order.", func(_ context.Context, in getOrder) (string, error) { return "cancelled " + in.OrderID, nil }, registry.Destructive(true))
	orders.Add(get, cancel)
	orders.AddSkill(registry.NewSkill("createorder", "Create an order.", "Run `call(namespace=\"orders\", function=\"get\")`."))
	return reg
}
