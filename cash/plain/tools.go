package plain

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// MetaCode is the key under which the metadata of an error result has its
// [registry.Kind]. Models do not see metadata, so it costs them nothing.
const MetaCode = "cash/error"

// face is the [serve.Face] of a Server.
type face struct{ *Server }

// Add implements [serve.Face].
func (f face) Add(srv *mcp.Server, host *serve.Server) {
	host.AddListed(srv, &serve.Listed{List: f.list, Call: f.call, Render: render})
}

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
			Name: names[i], Description: clean.Text(fn.Description), InputSchema: fn.InputSchema(), Annotations: annotations(fn),
		}
	}}, err
}

// annotations is what the function declares. Where it declares nothing, the
// protocol's default (it may destroy) is said aloud, because clients go by it. That
// it may reach out, the other default, is left unsaid: no function declares that.
func annotations(f *registry.Function) *mcp.ToolAnnotations {
	if f.ReadOnly && !f.Destructive {
		return &mcp.ToolAnnotations{ReadOnlyHint: true}
	}
	yes := true
	return &mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: f.Idempotent}
}

// ungated lets a function that has a gate of its own return all of its result:
// nothing here would tell a model how to ask for more.
const ungated = math.MaxInt32

// call runs the function that a tool stands for.
func (f face) call(ctx context.Context, name string, req *serve.Request) (*registry.Result, error) {
	fn, err := f.find(ctx, name)
	switch {
	case errors.Is(err, registry.UnknownFunction):
		return nil, serve.ErrUnknownTool
	case err != nil:
		return nil, err
	}
	c, err := f.pipeline.Prepare(ctx, &registry.Request{
		Resolved: fn, Arguments: orNone(req.Arguments), Progress: req.Progress, Client: req.Client,
	})
	if err != nil {
		return nil, err
	}
	if c.Client != nil {
		c.Client.Owner = serve.Owner(ctx, req.Connection, req.Client)
	}
	c.Gate = &registry.Gate{Limit: ungated, Asked: true}
	return f.pipeline.Run(ctx, c)
}

// findTimeout is how long it may take to look a name up. It comes from memory, but
// rules of the embedder have a say.
const findTimeout = 30 * time.Second

func (f face) find(ctx context.Context, name string) (*registry.Function, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	return serve.Apart(ctx, f.opts.Serve.Logger, "tools/call", func() (*registry.Function, error) {
		return registry.FindFlat(ctx, f.source, name)
	})
}

// orNone makes the JSON null, which stands for arguments that are omitted,
// nothing.
func orNone(data []byte) []byte {
	if strictjson.KindOf(data) == strictjson.Null {
		return nil
	}
	return data
}

// render makes the result of an error: what happened, and the next step.
func render(err error) *registry.Result {
	e := registry.AsError(err)
	r := registry.TextResult(e.Error())
	r.IsError = true
	r.Meta = map[string]any{MetaCode: string(e.Kind)}
	return r
}
