package config_test

import (
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/upstream/config"
)

func ExampleParse() {
	const file = `
upstreams:
  - label: shop
    endpoint: https://mcp.shop.example/mcp
    headers: {Authorization: "Bearer ${env:SHOP_TOKEN}"}
    timeout: 30s
manifests:
  - url: https://mcp.partner.example/.well-known/cash-mcp.yaml
`
	variables := map[string]string{"SHOP_TOKEN": "secret"}
	getenv := func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}
	c, err := config.Parse([]byte(file), &config.Options{File: "tools.yaml", Getenv: getenv})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range c.Upstreams {
		fmt.Println(s.Label, "at", s.Endpoint, "within", s.Timeout)
	}
	fmt.Println(c.Manifests)
	// Output:
	// shop at https://mcp.shop.example/mcp within 30s
	// [manifest https://mcp.partner.example/.well-known/cash-mcp.yaml]
}

func ExampleParse_errors() {
	const file = `
upstreams:
  - label: Shop_Orders
    endpoint: https://mcp.shop.example/mcp
    time_out: 30s
  - label: shoporders
    command: npx -y server
`
	_, err := config.Parse([]byte(file), &config.Options{File: "tools.yaml"})
	fmt.Println(err)
	// Output:
	// tools.yaml:5:5: upstreams[0]: unknown key "time_out": did you mean timeout?
	// tools.yaml:6:12: upstreams[1].label: "shoporders" is the same label as "Shop_Orders" in line 3: give each its own
	// tools.yaml:7:14: upstreams[1].command: one text where a list is wanted, such as [npx, -y, server]: there is no shell that would split it
}
