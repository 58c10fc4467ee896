package cash_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

type Item struct {
	ProductID string `json:"product_id" jsonschema:"Product to order."`
	Quantity  int    `json:"quantity" jsonschema:"How many." cash:"min=1,example=3"`
}

type CreateOrder struct {
	CustomerID string `json:"customer_id" jsonschema:"Unique customer identifier." cash:"example=C-42"`
	Items      []Item `json:"items" jsonschema:"Line items; each has product_id and quantity." cash:"minItems=1"`
	Priority   string `json:"priority,omitempty" jsonschema:"Handling priority." cash:"enum=low|normal|high,default=normal"`
	Notes      string `json:"notes,omitempty" jsonschema:"Free-text notes."`
	Channel    string `json:"channel,omitempty" jsonschema:"Sales channel code." cash:"advanced,pattern='^[A-Z]{2,4}$'"`
}

type Order struct {
	OrderID string `json:"order_id"`
	Status  string `json:"status"`
	Items   int    `json:"items"`
}

func createOrder(_ context.Context, in CreateOrder) (Order, error) {
	return Order{"ORD-1091", "confirmed", len(in.Items)}, nil
}

func exampleServer() *cash.Server {
	reg := registry.New(nil)
	orders := reg.Namespace("orders", "Create and manage customer orders.")
	orders.Add(registry.Func("create", "Create a new order for a customer.", createOrder))
	return cash.NewServer(reg, &cash.Options{Name: "shop", Version: "1.0.0"})
}

func Example() {
	srv := exampleServer()
	ctx := context.Background()

	index, _ := srv.Help(ctx, &cash.HelpRequest{})
	fmt.Println(index)

	page, _ := srv.Help(ctx, &cash.HelpRequest{Namespace: "orders", Function: "create"})
	fmt.Println("\n" + page)

	res, _ := srv.Call(ctx, &cash.CallRequest{
		Namespace: "orders", Function: "create",
		Kwargs: json.RawMessage(`{"customerID": "C-42", "items": [{"product_id": "P-7", "quantity": 3}]}`),
	})
	fmt.Println("\n" + res.Text())

	_, err := srv.Call(ctx, &cash.CallRequest{Namespace: "orders", Function: "ship"})
	fmt.Println("\n" + err.Error())

	// Output:
	// # Available Namespaces
	//
	// - **orders** — Create and manage customer orders.
	//
	// Supported arguments: `format` (json|markdown), `examples` (true|false), `params` (full), `search` (what you need, in words), `offset` and `limit` (entries of a long list).
	//
	// # orders.create
	//
	// Create a new order for a customer.
	//
	// ## Parameters
	//
	// | Name | Type | Required | Description |
	// |------|------|----------|-------------|
	// | customer_id | string | yes | Unique customer identifier. |
	// | items | array of {product_id, quantity} | yes | Line items; each has product_id and quantity. Minimum items: 1. |
	// | priority | string | no | Handling priority. One of: low, normal, high. Default: normal. |
	// | notes | string | no | Free-text notes. |
	//
	// ## Returns
	//
	// Object with `order_id`, `status` and `items`.
	//
	// Additional parameters available with `params="full"`.
	//
	// {"order_id":"ORD-1091","status":"confirmed","items":1}
	//
	// No function `ship` in namespace `orders`. Use `help(namespace="orders")` to see available functions.
}

// Prompts and resources of the embedder's own stand beside the tools.
func ExampleServer_own() {
	srv := cash.NewServer(registry.New(nil), &cash.Options{Serve: serve.Options{
		NewServer: func(_ context.Context, impl *mcp.Implementation, opts *mcp.ServerOptions) *mcp.Server {
			opts.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"ORD-1091"}}}, nil
			}
			own := mcp.NewServer(impl, opts)
			own.AddPrompt(&mcp.Prompt{Name: "greet"}, func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text := "Say hello to " + registry.CallerFrom(ctx).ID + "."
				return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
			})
			return own
		},
	}})

	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "ann"})
	client, server := mcp.NewInMemoryTransports()
	go srv.Run(ctx, server)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "example"}, nil).Connect(ctx, client, nil)
	if err != nil {
		panic(err)
	}
	defer session.Close()
	prompt, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"})
	if err != nil {
		panic(err)
	}
	fmt.Println(prompt.Messages[0].Content.(*mcp.TextContent).Text)
	// Output: Say hello to ann.
}
