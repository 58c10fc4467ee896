package plain

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// MetaCode is the key under which the metadata of an error result has its
// [registry.Kind]. Models do not see metadata, so it costs them nothing.
const MetaCode = "cash/error"

// face is the [serve.Face] of a Server.
type face struct{ *Server }

// MaxArguments implements [serve.Face].
func (f face) MaxArguments() int { return f.opts.MaxArguments }

// Add implements [serve.Face].
func (f face) Add(srv *mcp.Server, host *serve.Server) {
	host.AddListed(srv, &serve.Listed{List: f.list, Call: f.call, Render: render})
}

// Changed implements [serve.Changing].
func (f face) Changed() <-chan struct{} { return registry.Changed(f.pipeline.Source()) }

// Instructions implements [serve.Face].
func (f face) Instructions(context.Context) string { return f.opts.Instructions }

// list returns the functions that the caller sees as tools.
func (f face) list(ctx context.Context, _ *mcp.ListToolsRequest) (serve.ToolList, error) {
	functions, err := registry.Flat(ctx, f.source)
	names := make([]string, len(functions))
	for i, fn := range functions {
		names[i] = fn.FlatName()
	}
	return serve.ToolList{Names: names, Tool: func(i int) *mcp.Tool {
		fn := functions[i]
		return &mcp.Tool{
			Name: names[i], Description: clean.Text(fn.Description()), InputSchema: fn.InputSchema(), Annotations: serve.Annotations(fn),
		}
	}}, err
}

// call runs the function that a tool stands for.
func (f face) call(ctx context.Context, name string, req *serve.Request) (*registry.Result, error) {
	return f.pipeline.Call(ctx, req.Call(req.Arguments, func(ctx context.Context) (*registry.Function, error) {
		return serve.FindFlat(ctx, f.source, name)
	}))
}

// render makes the result of an error: what happened, and the next step.
func render(err error, _ json.RawMessage) *registry.Result {
	e := registry.AsError(err)
	r := registry.TextResult(e.Error())
	r.IsError = true
	r.Meta = map[string]any{MetaCode: string(e.Kind)}
	return r
}
