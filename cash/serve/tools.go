package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const listChanged = "notifications/tools/list_changed"

// toolsTopic is the [topic] of listed tools.
type toolsTopic struct{ *Listed }

func (l toolsTopic) look(ctx context.Context, req mcp.Request) (digest, error) {
	list, err := l.List(ctx, asList(req))
	if err != nil {
		return digest{}, err
	}
	return digestOf(ctx, list)
}

// asList returns the request for the first page of the list, by the client of req.
func asList(req mcp.Request) *mcp.ListToolsRequest {
	if sub, ok := req.(*mcp.SubscriptionsListenRequest); ok {
		return &mcp.ListToolsRequest{Session: sub.Session, Extra: sub.Extra, Params: &mcp.ListToolsParams{Meta: sub.Params.Meta}}
	}
	own, _ := req.(*mcp.ListToolsRequest)
	return own
}

func (toolsTopic) message(to *mcp.ServerSession, meta mcp.Meta) (string, mcp.Request) {
	return listChanged, &mcp.ServerRequest[*mcp.ToolListChangedParams]{
		Session: to, Params: &mcp.ToolListChangedParams{Meta: meta},
	}
}

func (toolsTopic) wanted(n *mcp.NotificationSubscriptions) bool { return n.ToolsListChanged }

func (toolsTopic) grant(n *mcp.NotificationSubscriptions) { n.ToolsListChanged = true }

// watchSession returns the function that starts the watch for the session of a request for tools.
// Call watchSession before the tools are looked up, and begin once the request has been answered.
func (t *notifier) watchSession(ctx context.Context, req *mcp.ListToolsRequest) (begin func()) {
	session := Session(req)
	if t == nil || session == nil || cursor(req) != "" || req.ProtocolVersion() >= stateless {
		return func() {}
	}
	w := t.newWatch(ctx, req)
	w.once = true
	return func() { t.addSession(session, w) }
}
