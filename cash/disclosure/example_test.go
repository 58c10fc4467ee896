package disclosure_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/registry"
)

type greeting struct {
	Name string `json:"name" jsonschema:"Who is greeted." cash:"example=Ada"`
}

// A model chooses a tool, is told to read its description, and calls it.
func Example() {
	reg := registry.New(nil)
	reg.Namespace("people", "People.").Add(registry.Func("greet", "Greet a person. Says hello.",
		func(_ context.Context, in greeting) (string, error) { return "Hello, " + in.Name + "!", nil }))
	srv := disclosure.NewServer(reg, &disclosure.Options{Name: "greeter"})

	ctx := context.Background()
	session, end := inMemory(ctx, srv)
	defer end()
	tools, _ := session.ListTools(ctx, nil)
	fmt.Println(tools.Tools[0].Name + ": " + tools.Tools[0].Description)
	call := func() {
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "people-greet", Arguments: greeting{"Ada"}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	}
	call()
	_, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "resource:///tool_descriptions?tools=people-greet"})
	fmt.Println(err)
	call()
	// Output:
	// people-greet: Greet a person.
	// {"error":{"code":"TOOL_DESCRIPTION_REQUIRED","message":"Tool 'people-greet' requires fetching its description before use.","resource_uri":"resource:///tool_descriptions?tools=people-greet"}}
	// <nil>
	// Hello, Ada!
}

// A file says more of a tool than its function does.
func ExampleReadDescriptions() {
	_, err := disclosure.ReadDescriptions(fstest.MapFS{
		"ping.json": {Data: []byte(`{"description": "Check the server.", "parameters": {}}`)},
	})
	fmt.Println(err)
	// Output:
	// disclosure: description ping.json: unknown member "parameters"
}

func inMemory(ctx context.Context, srv *disclosure.Server) (session *mcp.ClientSession, end func()) {
	near, far := mcp.NewInMemoryTransports()
	done := make(chan error, 1)
	go func() { done <- srv.Run(ctx, far) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil).Connect(ctx, near, nil)
	if err != nil {
		panic(err)
	}
	return session, func() {
		_ = session.Close()
		<-done
	}
}
