package upstream

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// functionKey is the key of a context for the function whose call is sent.
type functionKey struct{}

// calling returns the context of a request that calls a function.
func (s *settings) calling(ctx context.Context, f *registry.Function) context.Context {
	if s.observer == nil {
		return ctx
	}
	return context.WithValue(ctx, functionKey{}, f)
}

// observed tells the hook of every request to the server, and sends the metadata that it adds. It is not used if nobody
// observes.
func (s *session) observed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		p := req.GetParams()
		if p != nil && reflect.ValueOf(p).IsNil() {
			p = nil
		}
		ctx, rec := s.observer.Begin(ctx, s.beginning(ctx, method, req, p))
		defer rec.End()
		if meta := rec.Request().Meta; p != nil && len(meta) > 0 {
			p.SetMeta(meta)
		}
		res, err := next(ctx, method, req)
		rec.Note(func(r *observe.Request) { s.noteAnswer(ctx, r, res, err) })
		return res, err
	}
}

// beginning returns what is known of a request before it is sent. p may be nil.
func (s *session) beginning(ctx context.Context, method string, req mcp.Request, p mcp.Params) observe.Request {
	r := observe.Request{
		Sent: true, Method: method, Transport: s.over, Server: s.mounts[0].Label, Owner: registry.CallerFrom(ctx).Owner(),
		Outcome: observe.Outcome(registry.Internal), // in case of a panic
	}
	if f, ok := ctx.Value(functionKey{}).(*registry.Function); ok {
		r.Server, r.Function = s.labelOf(f), f.Path()
	}
	if cs, ok := req.GetSession().(*mcp.ClientSession); ok && cs != nil {
		r.Session = cs.ID()
		if known := cs.InitializeResult(); known != nil && slices.Contains(mcp.SupportedProtocolVersions(), known.ProtocolVersion) {
			r.Version = known.ProtocolVersion
		}
	}
	if p != nil {
		r.Meta = maps.Clone(p.GetMeta())
	}
	if call, ok := p.(*mcp.CallToolParams); ok {
		r.Tool = call.Name
		data, ok := call.Arguments.(json.RawMessage)
		if !ok && call.Arguments != nil {
			data, _ = json.Marshal(call.Arguments) // a failure shows when it is sent
		}
		r.RequestBytes = len(data)
	}
	return r
}

// noteAnswer notes how a request ended.
func (s *session) noteAnswer(ctx context.Context, r *observe.Request, res mcp.Result, err error) {
	x := mcpclient.ExchangeOf(ctx)
	raw := x.Result()
	call, _ := res.(*mcp.CallToolResult)
	if err != nil && r.Tool != "" && ctx.Err() == nil {
		call = wire.Readable(raw) // what the SDK cannot read as a whole
	}
	switch {
	case call != nil:
		own := &registry.Result{Content: call.Content, IsError: call.IsError, Meta: call.Meta, InputRequests: call.InputRequests}
		r.Outcome, r.ResultBytes = registry.OutcomeOf(own, nil), max(len(raw), own.Size())
	case err == nil:
		r.Outcome, r.ResultBytes = observe.OK, len(raw)
	default:
		e := classify(ctx, err, x)
		kind, _, _ := e.cause(r.Server, s.cfg.Timeout)
		r.Outcome, r.Code, r.Status = observe.Outcome(kind), e.Code, e.HTTPStatus
		if e.Class == Refused {
			r.Outcome = observe.Refused
		}
	}
}

// transportName returns the name of the transport to an endpoint, for a hook.
func transportName(e Endpoint) string {
	switch e.(type) {
	case HTTP, SSE:
		return "http"
	case Command:
		return "stdio"
	case InMemory:
		return "memory"
	}
	return "other"
}
