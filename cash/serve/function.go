package serve

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// Annotations are what clients are told of a tool that is a function. Where the
// function declares nothing, the protocol's default (it may destroy) is said aloud,
// because clients go by it. That it may reach out, the other default, is left
// unsaid: no function declares that.
func Annotations(f *registry.Function) *mcp.ToolAnnotations {
	if f.ReadOnly && !f.Destructive {
		return &mcp.ToolAnnotations{ReadOnlyHint: true}
	}
	yes := true
	return &mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: f.Idempotent}
}

// findTimeout is how long it may take to look a name up. It comes from memory, but
// rules of the embedder have a say.
const findTimeout = 30 * time.Second

// FindFlat is [registry.FindFlat] for [Listed]: it answers in time, whatever the
// rules of the embedder do, and its error is [ErrUnknownTool] for a function that
// is not there.
func FindFlat(ctx context.Context, src registry.Source, name string, log *slog.Logger) (*registry.Function, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	f, err := Apart(ctx, log, "tools/call", func() (*registry.Function, error) {
		return registry.FindFlat(ctx, src, name)
	})
	if err != nil && registry.AsError(err).Kind == registry.UnknownFunction {
		err = ErrUnknownTool
	}
	return f, err
}

// Call runs a function of p's source with arguments, a JSON object; null and
// nothing are an empty one. It is for faces without a gate, where a tool is a
// function.
func (r *Request) Call(ctx context.Context, p *registry.Pipeline, f *registry.Function, arguments json.RawMessage) (*registry.Result, error) {
	if strictjson.KindOf(arguments) == strictjson.Null {
		arguments = nil
	}
	c, err := p.Prepare(ctx, &registry.Request{Resolved: f, Arguments: arguments, Progress: r.Progress, Client: r.Client})
	if err != nil {
		return nil, err
	}
	if c.Client != nil {
		c.Client.Owner = Owner(ctx, r.Connection, r.Client)
	}
	c.Gate = registry.OpenGate()
	return p.Run(ctx, c)
}
