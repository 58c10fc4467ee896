package serve

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Request is a call of one of a face's tools.
type Request struct {
	// Arguments are those of the client: any JSON, or nothing.
	Arguments json.RawMessage
	// Session is the session of the request, if it lasts; see [Session].
	Session *mcp.ServerSession
	// Progress delivers progress to the client. Nil if it did not ask for it.
	Progress func(context.Context, registry.Progress) error
	// Client is the client, for functions that log or ask, and the owner of the call.
	Client *registry.Client
	// DryRun says that a server which mounts this one asks for a dry run ([registry.MetaDryRun]).
	DryRun bool
	// Record collects what becomes of the request, for [Options.Observe]. Nil is nobody.
	Record *observe.Record
}

// Owner identifies the owner of the state that the request leaves behind, as [registry.Call.Owner]
// does. A nil Request came through no transport; its owner is the caller in ctx.
func (r *Request) Owner(ctx context.Context) string {
	if r.Client != nil {
		return r.Client.Owner
	}
	return registry.CallerFrom(ctx).Owner()
}

// Payer identifies whose share of room the state of the request takes ([registry.Client]). The payer
// of a nil Request is the caller in ctx.
func (r *Request) Payer(ctx context.Context) string {
	if r.Client != nil {
		return r.Client.Payer
	}
	return registry.CallerFrom(ctx).Owner()
}

// A ToolFunc is a tool of a face. The context carries the caller.
type ToolFunc func(context.Context, *Request) (*registry.Result, error)

// Call returns the request to a [registry.Pipeline] for the function that find looks up. It is for
// faces without a gate.
func (r *Request) Call(arguments json.RawMessage, find func(context.Context) (*registry.Function, error)) *registry.Request {
	return &registry.Request{Find: find, Arguments: arguments, Gate: registry.OpenGate(), Progress: r.Progress, Client: r.Client, Record: r.Record}
}

// progress returns nil unless the client asked for progress.
func progress(req *mcp.CallToolRequest) func(context.Context, registry.Progress) error {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	return func(ctx context.Context, p registry.Progress) error {
		return req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message,
		})
	}
}

// objectsOnly is the last protocol version whose structured content is always an object.
const objectsOnly = "2025-11-25"

// toolResult returns r in the SDK's form. The SDK writes into the metadata, and results may be
// shared, so the metadata is copied.
func toolResult(r *registry.Result, req *mcp.CallToolRequest) *mcp.CallToolResult {
	t := &mcp.CallToolResult{
		Content: r.Content, IsError: r.IsError, Meta: maps.Clone(r.Meta),
		InputRequests: r.InputRequests, RequestState: r.RequestState,
	}
	if s := r.Structured; len(s) > 0 && (s[0] == '{' || req.ProtocolVersion() > objectsOnly) {
		t.StructuredContent = s
	}
	return t
}
