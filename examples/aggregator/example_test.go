package main

import (
	"context"
	"fmt"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/config"
	upstreams "github.com/cash-mcp/go-sdk/cash/upstream/config"
)

// The shop behind a label, asked without any transport of the aggregator's own.
func Example() {
	text := fmt.Sprintf("upstreams: [{label: shop, command: [%q, -stdio]}]", shop)
	ctx := context.Background()
	f, err := upstreams.Parse([]byte(text), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f.StartTimeout = time.Minute
	m, err := config.Start(ctx, f, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close(ctx)
	srv := faceOf(m)

	page, err := srv.Help(ctx, &cash.HelpRequest{Namespace: "shop.inventory"})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(page)

	res, err := srv.Call(ctx, &cash.CallRequest{
		Namespace: "shop.inventory", Function: "check",
		Kwargs: []byte(`{"product_id": "P-7", "quantity": 3}`),
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(res.Text())
	// Output:
	// # shop.inventory
	//
	// ## Functions
	//
	// - **check** — Check whether a quantity of a product is in stock.
	// - **list** — List products with prices and stock levels.
	// - **restock** — Add a delivery to a product's stock.
	// {"product_id":"P-7","available":true,"in_stock":180,"unit_price":12.50}
}
