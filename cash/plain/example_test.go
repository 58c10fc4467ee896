package plain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

type greeting struct {
	Name string `json:"name" jsonschema:"Who is greeted."`
}

// greeter is a registry of one function.
func greeter() *registry.Registry {
	reg := registry.New(nil)
	hello := registry.Func("hello", "Greet somebody.", func(_ context.Context, in greeting) (string, error) {
		return "Hello, " + in.Name + "!", nil
	}, registry.ReadOnly)
	reg.Namespace("guests", "Those who visit.").Add(hello)
	return reg
}

// A client sees each function as a tool, and calls it.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	near, far := mcp.NewInMemoryTransports()
	go plain.NewServer(greeter(), nil).Run(ctx, far)

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, near, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range list.Tools {
		fmt.Println(tool.Name, "-", tool.Description)
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "guests-hello", Arguments: greeting{"Ada"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Content[0].(*mcp.TextContent).Text)
	// Output:
	// guests-hello - Greet somebody.
	// Hello, Ada!
}
