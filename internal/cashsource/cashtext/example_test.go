package cashtext_test

import (
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

func ExampleMount_Text() {
	m := cashtext.Mount{To: "shop"}
	fmt.Println(m.Text("1. Call `help(namespace=\"inventory\", function=\"check\")`.\n2. Follow `skill(skillname=\"confirm\")`."))
	fmt.Println(m.Text("No function `ship` in namespace `orders`. Use `help(namespace=\"orders\")` to see available functions."))
	// Output:
	// 1. Call `help(namespace="shop.inventory", function="check")`.
	// 2. Follow `skill(namespace="shop", skillname="confirm")`.
	// No function `ship` in namespace `shop.orders`. Use `help(namespace="shop.orders")` to see available functions.
}

func ExampleMount_Help() {
	m := cashtext.Mount{From: "orders", To: "sales"}
	fmt.Println(m.Help("# orders.retail\n\n## Functions\n\n- **create** — Create an order.", "orders.retail"))
	// Output:
	// # sales.retail
	//
	// ## Functions
	//
	// - **create** — Create an order.
}

func ExampleMount_JSON() {
	page, _ := cashtext.Mount{To: "shop"}.JSON(`{"namespace":"orders","name":"create","limit":1.50}`)
	fmt.Println(page)
	// Output: {"namespace":"shop.orders","name":"create","limit":1.50}
}

func ExampleParseHelp() {
	page, err := cashtext.ParseHelp("# orders\n\n## Sub-namespaces\n\n- **retail** — Retail channel orders.\n\n## Functions\n\n- `cancel`: Cancel an order.\n- `re-open`: Open it again.")
	if err != nil {
		panic(err)
	}
	fmt.Println(page.Namespace, page.Namespaces[0].Name, page.Functions[0].Name, page.Dropped)
	// Output: orders retail cancel [re-open]
}

func ExampleParseSkills() {
	list, err := cashtext.ParseSkills("# Skills\n\n- **start** — Where to begin.\n\n## Namespaces with skills\n\n- **orders.retail** — 2 skills.")
	if err != nil {
		panic(err)
	}
	fmt.Println(list.Skills[0].Name, list.Namespaces[0])
	// Output: start {orders.retail 2}
}

func ExampleParseFunction() {
	f, err := cashtext.ParseFunction(`{"namespace":"orders","name":"get","parameters":[{"name":"id","type":"string","required":true}],"safety":"Read-only."}`)
	if err != nil {
		panic(err)
	}
	fmt.Println(f.Name, f.Parameters[0].Name, f.Safety)
	// Output: get id Read-only.
}
