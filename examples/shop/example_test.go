package main

import (
	"context"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

// A server can be asked without any transport.
func Example() {
	srv := newServer(shopGoods(store.New(), "cash"))
	ctx := context.Background()

	page, err := srv.Help(ctx, &cash.HelpRequest{Namespace: "inventory"})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(page)

	res, err := srv.Call(ctx, &cash.CallRequest{
		Namespace: "inventory", Function: "check",
		Kwargs: []byte(`{"product_id": "P-7", "quantity": 3}`),
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(res.Text())
	// Output:
	// # inventory
	//
	// ## Functions
	//
	// - **check** — Check whether a quantity of a product is in stock.
	// - **list** — List products with prices and stock levels.
	// - **restock** — Add a delivery to a product's stock.
	// {"product_id":"P-7","available":true,"in_stock":180,"unit_price":12.50}
}
