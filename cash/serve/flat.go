package serve

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// annotations returns the declared effects of a function. What is not declared is left out: the
// protocol's default holds for it.
func annotations(f *registry.Function) *mcp.ToolAnnotations {
	h := f.Hints()
	if h == (registry.Hints{}) {
		return nil
	}
	return &mcp.ToolAnnotations{
		ReadOnlyHint: h.ReadOnly, IdempotentHint: h.Idempotent != nil && *h.Idempotent,
		DestructiveHint: h.Destructive, OpenWorldHint: h.OpenWorld,
	}
}

// Display adds what a function shows to users and programs to its tool: title, icons and metadata.
func Display(t *mcp.Tool, f *registry.Function) {
	t.Title, t.Icons = f.Title(), f.Icons()
	if f.Meta() == nil {
		return
	}
	t.Meta = make(mcp.Meta)
	for key, value := range strictjson.Members(f.Meta()) {
		t.Meta[key] = json.RawMessage(value)
	}
}

// FlatTools returns one tool for each function, for the faces that list functions as tools: packages
// plain and disclosure. The tool has the function's flat name, such as orders-create for orders.create
// ([registry.Function.FlatName]). define makes the definition of one; its name, its annotations
// and what [Display] adds are filled in. The functions are sorted by flat name, without duplicates ([registry.Flat]).
func FlatTools(functions []*registry.Function, define func(*registry.Function) *mcp.Tool) ToolList {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.FlatName()
	}
	return ToolList{Names: names, Tool: func(i int) *mcp.Tool {
		t := define(functions[i])
		t.Name, t.Annotations = names[i], annotations(functions[i])
		Display(t, functions[i])
		return t
	}}
}

// FindFlat returns the function that a flat name means, for [Listed.Call]. If the caller sees none, the
// error is [ErrUnknownTool], which lets the server try its own tools.
func FindFlat(ctx context.Context, src registry.Source, name string) (*registry.Function, error) {
	f, err := registry.FindFlat(ctx, src, name)
	if err != nil && registry.AsError(err).Kind == registry.UnknownFunction {
		return nil, ErrUnknownTool
	}
	return f, err
}
