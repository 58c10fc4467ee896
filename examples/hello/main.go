// Command hello is the smallest useful server: two typed functions, one skill, MCP over standard
// input and output. The README quotes it.
package main

import (
	"context"
	"embed"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

type CreateOrder struct {
	CustomerID string `json:"customer_id" jsonschema:"Unique customer identifier."`
	Items      []Item `json:"items" jsonschema:"Line items; each has product_id and quantity." cash:"minItems=1"`
	Priority   string `json:"priority,omitempty" jsonschema:"Handling priority." cash:"enum=low|normal|high,default=normal"`
}

// Create knows nothing of MCP. Arguments that break a rule never reach it.
func (s *Shop) Create(ctx context.Context, in CreateOrder) (Order, error) {
	return s.add(in.CustomerID, in.Priority), nil
}

//go:embed skills
var skills embed.FS // skills/<namespace>/<name>/SKILL.md or skills/<namespace>/<name>.md

func newServer(shop *Shop) *cash.Server {
	reg := registry.New(nil)
	reg.Namespace("orders", "Create and manage customer orders.").Add(
		registry.Func("create", "Create a new order for a customer.", shop.Create),
		registry.Func("list", "List all orders.", shop.List, registry.ReadOnly),
	)
	reg.AddSkills(skills)
	return cash.NewServer(reg, &cash.Options{Name: "shop", Version: "1.0.0"})
}

func main() {
	if err := newServer(new(Shop)).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
