package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// Annotations are what clients are told of a tool that is a function. Where the
// function declares nothing, the protocol's default (it may destroy) is said aloud,
// because clients go by it. That it may reach out, the other default, is left
// unsaid: no function declares that.
func Annotations(f *registry.Function) *mcp.ToolAnnotations {
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
		t.Name, t.Annotations = names[i], Annotations(functions[i])
		return t
	}}
}

// ErrorResult is the result of an error for a model: a text, and the machine code
// under [registry.MetaCode].
func ErrorResult(text string, kind registry.Kind) *registry.Result {
	r := registry.TextResult(text)
	r.IsError, r.Meta = true, map[string]any{registry.MetaCode: string(kind)}
	return r
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
