package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// client is who made a request, as far as a function may turn to it. The caller is
// in ctx.
func client(ctx context.Context, req *mcp.CallToolRequest, connection string) *registry.Client {
	c := &registry.Client{
		Answers: req.Params.InputResponses,
		State:   req.Params.RequestState,
	}
	if s, ok := req.Params.Meta[registry.MetaFor].(string); ok && len(s) <= maxInstance {
		c.For = s
	}
	c.Owner = owner(ctx, connection, c)
	if req.Session == nil {
		return c
	}
	c.Log = func(ctx context.Context, m registry.LogMessage) error {
		//lint:ignore SA1019 it works as long as clients ask for it
		return req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(m.Level), Logger: m.Logger, Data: m.Data})
	}
	if !mayBeAsked(req) {
		return c
	}
	caps := req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil || caps.Elicitation.URL != nil && caps.Elicitation.Form == nil {
		return c // nobody to be asked, or by nothing but a URL
	}
	if req.ProtocolVersion() > objectsOnly {
		c.TakesInputRequests = true
	} else {
		c.Elicit = func(ctx context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return req.Session.Elicit(ctx, q)
		}
	}
	return c
}

// mayBeAsked is a first look at what a client says that it can do. The SDK decodes
// all of that anew when asked for it, at the cost of reading a whole message.
func mayBeAsked(req *mcp.CallToolRequest) bool {
	said, ok := req.Params.Meta[mcp.MetaKeyClientCapabilities].(map[string]any)
	return !ok || said["elicitation"] != nil // older clients say so once, to the session
}

// owner names who may come back to what a request leaves behind: the caller in
// ctx, or else the connection. Empty is nobody that could be told from another. A
// server that mounts this one calls for many, over one connection.
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

// via returns the servers that a request says it has come through.
func via(req *mcp.CallToolRequest) []string {
	list, _ := req.Params.Meta[registry.MetaVia].([]any)
	instances := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok && len(s) <= maxInstance {
			instances = append(instances, s)
		}
	}
	return instances
}

// maxInstance bounds the name of a server, and of a caller of it, in bytes.
const maxInstance = 64
