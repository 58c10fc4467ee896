package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// annotations are what clients are told of a tool that is a function. Where the
// function declares nothing, the protocol's default (it may destroy) is said aloud,
// because clients go by it. That it may reach out, the other default, is left
// unsaid: no function declares that.
func annotations(f *registry.Function) *mcp.ToolAnnotations {
	if f.ReadOnly() {
		return &mcp.ToolAnnotations{ReadOnlyHint: true}
	}
	yes := true
	return &mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: f.Idempotent()}
}

// FlatTools are functions as tools that go by their flat names. define makes the
// definition of one; its name and annotations are filled in.
func FlatTools(functions []*registry.Function, define func(*registry.Function) *mcp.Tool) ToolList {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.FlatName()
	}
	return ToolList{Names: names, Tool: func(i int) *mcp.Tool {
		t := define(functions[i])
		t.Name, t.Annotations = names[i], annotations(functions[i])
		return t
	}}
}

// FindFlat is [registry.FindFlat] for [Listed]: its error is [ErrUnknownTool] for a
// function that is not there.
func FindFlat(ctx context.Context, src registry.Source, name string) (*registry.Function, error) {
	f, err := registry.FindFlat(ctx, src, name)
	if err != nil && registry.AsError(err).Kind == registry.UnknownFunction {
		return nil, ErrUnknownTool
	}
	return f, err
}
