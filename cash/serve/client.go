package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// client returns the client of a request, for functions that log or ask. The caller is in ctx.
func client(ctx context.Context, req *mcp.CallToolRequest, connection string) *registry.Client {
	c := &registry.Client{
		Answers: req.Params.InputResponses,
		State:   req.Params.RequestState,
		Meta:    req.Params.Meta,
		For:     callerOf(req.Params.Meta),
	}
	c.Owner, c.Payer = owner(ctx, connection, c), payer(ctx, connection)
	if req.Session == nil {
		return c
	}
	c.Log = func(ctx context.Context, m registry.LogMessage) error {
		//lint:ignore SA1019 it works as long as clients ask for it
		return req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(m.Level), Logger: m.Logger, Data: m.Data})
	}
	kinds := elicitation(req)
	if kinds == nil {
		return c
	}
	urls := kinds.URL != nil
	forms := !urls || kinds.Form != nil
	if req.ProtocolVersion() > objectsOnly {
		c.TakesInputRequests, c.TakesURLRequests = forms, urls
		return c
	}
	elicit := func(ctx context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return req.Session.Elicit(ctx, q)
	}
	if forms {
		c.Elicit = elicit
	}
	if urls {
		c.OpenURL = elicit
	}
	return c
}

// elicitation returns the capability that a client declares, or nil. Older clients declare it once per session, newer
// ones with each request, in metadata that is decoded already. The SDK would decode it once more, at the cost of reading
// a whole message.
func elicitation(req *mcp.CallToolRequest) *mcp.ElicitationCapabilities {
	said, ok := req.Params.Meta[mcp.MetaKeyClientCapabilities].(map[string]any)
	if !ok {
		if caps := req.ClientCapabilities(); caps != nil {
			return caps.Elicitation
		}
		return nil
	}
	kinds, ok := said["elicitation"].(map[string]any)
	if !ok {
		return nil
	}
	e := new(mcp.ElicitationCapabilities)
	if kinds["form"] != nil {
		e.Form = new(mcp.FormElicitationCapabilities)
	}
	if kinds["url"] != nil {
		e.URL = new(mcp.URLElicitationCapabilities)
	}
	return e
}

// owner returns the owner of the state that a request leaves behind: the caller in ctx, else the
// connection. Empty is an owner that cannot be identified. A server that mounts this one calls for
// many callers over one connection, which client.For tells apart.
func owner(ctx context.Context, connection string, client *registry.Client) string {
	own := registry.CallerFrom(ctx).Owner()
	if own == "" && connection != "" {
		own = "connection:" + connection
	}
	if own == "" || len(registry.Via(ctx)) == 0 {
		return own
	}
	if client.For == "" {
		return ""
	}
	return own + "\x00for:" + client.For
}

// payer returns the payer of a request: the caller in ctx, else the address, else the connection. A server that mounts
// this one pays for all of its callers, because it may name any number of them.
func payer(ctx context.Context, connection string) string {
	if own := registry.CallerFrom(ctx).Owner(); own != "" {
		return own
	}
	if address := addressIn(ctx); address != "" {
		return "address:" + address
	}
	if connection != "" {
		return "connection:" + connection
	}
	return ""
}

// callerOf returns the caller of a server that mounts this one ([registry.MetaFor]); empty if unknown.
func callerOf(meta mcp.Meta) string {
	if s, ok := meta[registry.MetaFor].(string); ok && len(s) <= maxInstance {
		return s
	}
	return ""
}

// via returns the servers that a request with this metadata came through.
func via(meta mcp.Meta) []string {
	list, _ := meta[registry.MetaVia].([]any)
	instances := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok && len(s) <= maxInstance {
			instances = append(instances, s)
		}
	}
	return instances
}

// maxInstance is the most bytes of a server's instance, and of an id of its caller.
const maxInstance = 64
