package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Changing is a [Face] whose [Listed] tools may change. Clients are notified: those with a
// session after they have listed tools, once per listing; those of 2026-07-28 if they subscribe.
type Changing interface {
	Face
	// Changed returns a channel that is closed at the next possible change of tools, for any
	// caller; see [registry.Changed]. Nil is never. It does not block.
	Changed() <-chan struct{}
}

const (
	listChanged  = "notifications/tools/list_changed"
	acknowledged = "notifications/subscriptions/acknowledged"
	listen       = "subscriptions/listen"
)

// notifier notifies the clients of an MCP server of changes in the tools of one face. A nil
// notifier does nothing.
type notifier struct {
	*Host
	changes *changes
	listed  *Listed
	send    mcp.MethodHandler
}

// newNotifier returns the notifier for the tools of l, or nil if they never change.
func (h *Host) newNotifier(srv *mcp.Server, l *Listed) *notifier {
	if h.server.changes == nil {
		return nil
	}
	t := &notifier{Host: h, changes: h.server.changes, listed: l}
	srv.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		t.send = next
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if sub, ok := ctx.Value(subscriptionKey{t}).(*subscription); ok && method == acknowledged {
				sub.begin(req)
			}
			return next(ctx, method, req)
		}
	})
	return t
}

// bare is a context without values.
type bare struct{ context.Context }

func (bare) Value(any) any { return nil }

// newWatch returns the watch for the tools that the caller in ctx sees. Visibility rules later find
// only the caller in the context, because other values may end with the request.
func (t *notifier) newWatch(ctx context.Context, req *mcp.ListToolsRequest) *watch {
	caller := registry.CallerFrom(ctx)
	w := &watch{look: func(ctx context.Context) (digest, error) {
		ctx = registry.WithCaller(bare{ctx}, caller)
		list, err := t.listed.List(ctx, req)
		if err != nil {
			return digest{}, err
		}
		return digestOf(ctx, list)
	}}
	t.changes.first(ctx, w)
	return w
}

// notify returns the function that notifies a session, or one of its subscriptions.
func (t *notifier) notify(session *mcp.ServerSession, meta mcp.Meta) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := t.send(ctx, listChanged, &mcp.ServerRequest[*mcp.ToolListChangedParams]{
			Session: session, Params: &mcp.ToolListChangedParams{Meta: meta},
		})
		return err
	}
}

// watchSession returns the function that starts the watch for the session of a request. Call
// watchSession before the tools are looked up, and begin once the request has been answered. The
// watch ends with the session.
func (t *notifier) watchSession(ctx context.Context, req *mcp.ListToolsRequest) (begin func()) {
	session := Session(req)
	if t == nil || session == nil || cursor(req) != "" || req.ProtocolVersion() >= stateless {
		return func() {}
	}
	w := t.newWatch(ctx, req)
	w.notify, w.once = t.notify(session, nil), true
	// The tools of each face have a watch of their own.
	key := sessionOf{session, t}
	return func() {
		if !t.changes.add(key, w) {
			return
		}
		go func() { // ends with the session
			_ = session.Wait()
			t.changes.remove(key)
		}()
	}
}

// sessionOf is the key of a session's watch.
type sessionOf struct {
	session  *mcp.ServerSession
	notifier *notifier
}

// subscription is a client's request for notifications. It lasts until the client is gone.
type subscription struct {
	*notifier
	watch   *watch
	session *mcp.ServerSession
	begun   bool
}

// subscriptionKey is the context key of a subscription. Each face has its own.
type subscriptionKey struct{ *notifier }

// listen serves a subscription. It ends with the client or the server.
func (t *notifier) listen(ctx context.Context, req *mcp.SubscriptionsListenRequest, next mcp.MethodHandler) (mcp.Result, error) {
	wanted := req.Params.Notifications
	as := &mcp.ListToolsRequest{Session: req.Session, Extra: req.Extra, Params: &mcp.ListToolsParams{Meta: req.Params.Meta}}
	sub, err := Do(ctx, t.Host, as, listen, lookTimeout, func(ctx context.Context) (*subscription, error) {
		sub := &subscription{notifier: t, session: req.Session}
		if wanted != nil && wanted.ToolsListChanged {
			sub.watch = t.newWatch(ctx, as)
		}
		return sub, nil
	})
	if err != nil { // a refused caller gets no notifications
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: registry.AsError(err).Error()}
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, subscriptionKey{t}, sub))
	defer cancel()
	defer t.changes.remove(sub)
	go func() {
		select {
		case <-t.server.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	res, err := next(ctx, listen, req)
	if err == nil && sub.begun { // without tools of its own, the SDK's server does not wait
		<-ctx.Done()
	}
	return res, err
}

// begin starts the watch before the client learns that it will be notified.
func (sub *subscription) begin(req mcp.Request) {
	p, ok := req.GetParams().(*mcp.SubscriptionsAcknowledgedParams)
	if !ok || sub.watch == nil {
		return
	}
	p.Notifications.ToolsListChanged = true
	sub.begun = true
	meta := mcp.Meta{mcp.MetaKeySubscriptionID: p.Meta[mcp.MetaKeySubscriptionID]}
	sub.watch.notify = sub.notify(sub.session, meta)
	sub.changes.add(sub, sub.watch)
}
