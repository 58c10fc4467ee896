package main

import (
	"embed"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/registry"
)

// The whole folder is embedded, but only texts are served: neither scripts nor shell blocks of a
// skill.
//
//go:embed skills
var skills embed.FS

// newRegistry maps functions to the methods of the shop. The skills are added elsewhere.
func newRegistry(shop *store.Shop) *registry.Registry {
	reg := registry.New(nil)

	orders := reg.Namespace("orders", "Create and manage customer orders.")
	orders.Add(
		registry.Func("create", "Create a new order for a customer.", shop.Create,
			registry.Returns("Object with assigned order ID, status, line items with pricing, and total.")),
		registry.Func("cancel", "Cancel an existing order.", shop.Cancel, registry.Destructive(true), registry.Idempotent(true)),
		registry.Func("get", "Retrieve an order by ID.", shop.Get, registry.ReadOnly),
	)
	addReports(orders, shop.Desk(store.AllChannels))
	addReports(reg.Namespace("orders.retail", "Retail channel orders."), shop.Desk(store.Retail))
	addReports(reg.Namespace("orders.wholesale", "Wholesale and bulk orders."), shop.Desk(store.Wholesale))

	reg.Namespace("inventory", "Query and update stock levels.").Add(
		registry.Func("check", "Check whether a quantity of a product is in stock.", shop.CheckStock, registry.ReadOnly),
		registry.Func("list", "List products with prices and stock levels.", shop.Products, registry.ReadOnly),
		registry.Func("restock", "Add a delivery to a product's stock.", shop.Restock),
	)
	reg.Namespace("crm", "Manage contacts and accounts.").Add(
		registry.Func("find", "Find customers by name or city.", shop.FindCustomers, registry.ReadOnly),
		registry.Func("get", "Retrieve a customer and their account by ID.", shop.Customer, registry.ReadOnly),
	)
	return reg
}

func addReports(ns *registry.Namespace, desk store.Desk) {
	ns.Add(
		registry.Func("list", "List orders with optional filters.", desk.List, registry.ReadOnly),
		registry.Func("summary", "Aggregate order statistics.", desk.Summary, registry.ReadOnly),
	)
}
