package upstream_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// Resources and prompts of servers stand in registries of their own, and are
// found, described and called like any function.
func ExampleOptions() {
	srv := mcp.NewServer(&mcp.Implementation{Name: "docs"}, nil)
	srv.AddResource(&mcp.Resource{URI: "file:///docs/readme.md", Name: "readme", Description: "How it works.", MIMEType: "text/markdown"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: "# Read me"}}}, nil
		})

	resources := registry.New(nil)
	agg := upstream.New(registry.New(nil), &upstream.Options{Resources: resources})
	ctx := context.Background()
	defer agg.Close(ctx)
	if err := agg.Add(upstream.Server{Label: "fs", Endpoint: upstream.InMemory{Server: srv}}); err != nil {
		panic(err)
	}
	if err := agg.Wait(ctx); err != nil {
		panic(err)
	}
	for f := range resources.All() {
		fmt.Println(f.Primitive(), "-", f.Description())
	}
	r, err := registry.NewPipeline(resources, nil).Call(ctx, &registry.Request{Namespace: "fs", Function: "readme"})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Content[0].(*mcp.EmbeddedResource).Resource.Text)
	// Output:
	// resource::fs:readme#a8c506b1 - How it works. (text/markdown)
	// # Read me
}
