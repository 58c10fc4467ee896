package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// annotations returns a function's annotations for its tool. Clients act on DestructiveHint, so an
// undeclared one is sent with the protocol's default, true. Other undeclared ones are left out.
func annotations(f *registry.Function) *mcp.ToolAnnotations {
	if f.ReadOnly() {
		return &mcp.ToolAnnotations{ReadOnlyHint: true}
	}
	yes := true
	return &mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: f.Idempotent()}
}

// FlatTools returns the tools for functions under their flat names. define makes the definition of
// one. Its name and annotations are filled in.
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

// FindFlat is [registry.FindFlat] for [Listed]. The error for an unknown function is
// [ErrUnknownTool].
func FindFlat(ctx context.Context, src registry.Source, name string) (*registry.Function, error) {
	f, err := registry.FindFlat(ctx, src, name)
	if err != nil && registry.AsError(err).Kind == registry.UnknownFunction {
		return nil, ErrUnknownTool
	}
	return f, err
}
