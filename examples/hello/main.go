// Command hello is the smallest useful server. The README quotes it as it is.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

type Line struct {
	Product  string `json:"product" jsonschema:"What to buy." cash:"enum=cup|plate"`
	Quantity int    `json:"quantity,omitempty" jsonschema:"How many." cash:"min=1,max=100,default=1"`
}

type Price struct {
	Cents int `json:"cents"`
}

var cents = map[string]int{"cup": 450, "plate": 700}

// quote knows nothing of MCP. Arguments that break a rule never reach it.
func quote(ctx context.Context, in Line) (Price, error) {
	return Price{cents[in.Product] * in.Quantity}, nil
}

func prices(context.Context, struct{}) (map[string]int, error) { return cents, nil }

func newServer() *cash.Server {
	reg := registry.New(nil)
	reg.Namespace("shop", "Products of a shop and what they cost.").Add(
		registry.Func("quote", "Tell the price of an order.", quote, registry.ReadOnly),
		registry.Func("prices", "List the price of each product.", prices, registry.ReadOnly),
	)
	return cash.NewServer(reg, &cash.Options{Name: "shop", Version: "1.0.0"})
}

func main() {
	if err := newServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
