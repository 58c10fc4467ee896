package serve

import (
	"context"
	"encoding/json"

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

// A Call asks a [registry.Pipeline] for the function that a tool stands for, for
// faces where each function is a tool.
func (r *Request) Call(arguments json.RawMessage, find func(context.Context) (*registry.Function, error)) *registry.Request {
	return &registry.Request{Find: find, Arguments: arguments, Gate: registry.OpenGate(), Progress: r.Progress, Client: r.Client}
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
