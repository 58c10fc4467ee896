package plain

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// face is the [serve.Face] of a Server.
type face struct{ *Server }

// Add implements [serve.Face].
func (f face) Add(srv *mcp.Server, h *serve.Host) {
	h.AddListed(srv, &serve.Listed{List: f.list, Call: f.call, Render: render})
}

// Changed implements [serve.Changing].
func (f face) Changed() <-chan struct{} { return registry.Changed(f.pipeline.Source()) }

// Skills implements [serve.Skilled].
func (f face) Skills() registry.Source { return f.source }

// Instructions implements [serve.Face]. There are none: the list describes itself.
func (f face) Instructions(context.Context) string { return "" }

// list returns the functions that the caller sees, as tools.
func (f face) list(ctx context.Context, _ *mcp.ListToolsRequest) (serve.ToolList, error) {
	functions, err := registry.Flat(ctx, f.source)
	return serve.FlatTools(functions, func(fn *registry.Function) *mcp.Tool {
		t := &mcp.Tool{Description: fn.About(), InputSchema: fn.InputSchema()}
		if schema := fn.OutputSchema(); schema != nil && !f.textOnly(fn) {
			t.OutputSchema = schema
		}
		return t
	}), err
}

func (f face) textOnly(fn *registry.Function) bool { return f.opts.TextOnly || fn.TextOnly() }

// call runs the function behind a tool.
func (f face) call(ctx context.Context, name string, req *serve.Request) (*registry.Result, error) {
	var fn *registry.Function // read only after a call that has ended
	r, err := f.pipeline.Call(ctx, req.Call(req.Arguments, func(ctx context.Context) (_ *registry.Function, err error) {
		fn, err = serve.FindFlat(ctx, f.source, name)
		return fn, err
	}))
	switch {
	case err != nil:
		return nil, err
	case f.textOnly(fn):
		return r.AsText(), nil
	}
	typed, err := fn.Typed(ctx, r)
	if err != nil {
		f.opts.Serve.Logger.WarnContext(ctx, "a result is sent without structured content", "function", fn.Path(), "reason", err.Error())
	}
	return typed, nil
}

// render returns the result for an error: what happened, and the next step.
func render(err error, _ json.RawMessage) *registry.Result {
	e := registry.AsError(err).For(word)
	r := registry.TextResult(e.Error())
	r.IsError, r.Meta = true, map[string]any{registry.MetaCode: string(e.Kind)}
	return r
}

// word returns the next step in terms of this face.
func word(_ *registry.Error, next registry.Step) string {
	switch next {
	case registry.LookUp:
		return "The tools are in tools/list."
	case registry.ReadDefinition:
		return "Its parameters are in tools/list."
	}
	return ""
}
