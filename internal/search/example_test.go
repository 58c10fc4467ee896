package search_test

import (
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// A request finds what it is about, a typo in it does no harm, a path is found in
// any spelling, and nonsense finds nothing.
func Example() {
	texts := []*search.Text{
		search.Read(search.Document{Namespace: "orders", Name: "create", Description: "Create a new order."}),
		search.Read(search.Document{Namespace: "orders", Name: "refund", Description: "Give a customer the money back."}),
		search.Read(search.Document{Namespace: "weather", Name: "forecast", Description: "Weather of the next days."}),
	}
	ix := search.Build(texts, nil)
	for _, query := range []string{"customer wants their money back", "wether of tomorrow", "orders/create", "xyzzy"} {
		hits := ix.Search(search.Query{Text: query, Limit: 1})
		if len(hits) == 0 {
			fmt.Println(query, "→ nothing")
			continue
		}
		fmt.Println(query, "→", []string{"create", "refund", "forecast"}[hits[0].Text])
	}
	// Output:
	// customer wants their money back → refund
	// wether of tomorrow → forecast
	// orders/create → create
	// xyzzy → nothing
}

func ExampleSimilar() {
	names := []string{"create_order", "refund_order", "list_orders"}
	fmt.Println(search.Similar("craete_order", names, 1), search.Similar("orderCreate", names, 1), search.Similar("make_order", names, 1))
	// Output: [create_order] [create_order] [create_order]
}
