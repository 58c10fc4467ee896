package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Changing is a [Face] whose [Listed] tools or [Watched] resource may change. Clients are
// notified, each one only of changes in what it sees.
//
//   - Up to 2025-11-25: of tools after they have listed them, once per listing; of a resource after
//     they have subscribed to it.
//   - From 2026-07-28 on: if they subscribe.
type Changing interface {
	Face
	// Changed returns a channel that is closed at the next possible change, for any caller; see
	// [registry.Changed]. Nil is never. It does not block, and may be called concurrently.
	Changed() <-chan struct{}
}

const (
	acknowledged = "notifications/subscriptions/acknowledged"
	listen       = "subscriptions/listen"
)

// topic is what clients are notified of: the tools of a face, or a resource.
type topic interface {
	// look returns the digest of what the caller in ctx sees. req is the request that began the
	// watch.
	look(ctx context.Context, req mcp.Request) (digest, error)
	// message returns the notification for a session.
	message(*mcp.ServerSession, mcp.Meta) (method string, req mcp.Request)
	// wanted reports whether a subscription is about the topic, and removes the topic from it if
	// the SDK must not handle it.
	wanted(*mcp.NotificationSubscriptions) bool
	// grant adds the topic to an acknowledgement.
	grant(*mcp.NotificationSubscriptions)
}

// notifier notifies the clients of an MCP server of changes of one topic. A nil notifier does
// nothing.
type notifier struct {
	*Host
	topic
	changes *changes
	send    mcp.MethodHandler
}

// newNotifier returns the notifier for a topic, or nil if the face never changes.
func (h *Host) newNotifier(srv *mcp.Server, about topic) *notifier {
	if h.server.changes == nil {
		return nil
	}
	t := &notifier{Host: h, changes: h.server.changes, topic: about}
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

// viewer returns ctx with nothing but the caller in from and the servers that its request came
// through. Visibility rules later find no more, because other values may end with the request.
func viewer(ctx, from context.Context) context.Context {
	ctx = context.WithValue(bare{ctx}, carriedKey{}, true) // the caller is that of the request
	return registry.WithVia(registry.WithCaller(ctx, registry.CallerFrom(from)), registry.Via(from))
}

// newWatch returns the watch for what the caller in ctx sees.
func (t *notifier) newWatch(ctx context.Context, req mcp.Request) *watch {
	w := &watch{look: func(later context.Context) (digest, error) { return t.look(viewer(later, ctx), req) }}
	t.changes.first(ctx, w)
	return w
}

// notify returns the function that notifies a session, or one of its subscriptions.
func (t *notifier) notify(session *mcp.ServerSession, meta mcp.Meta) func(context.Context) error {
	return func(ctx context.Context) error {
		method, req := t.message(session, meta)
		_, err := t.send(ctx, method, req)
		return err
	}
}

// addSession starts the watch of a session, or starts it again. The watch ends with the session. It
// reports false if there are too many watches.
func (t *notifier) addSession(session *mcp.ServerSession, w *watch) bool {
	w.notify = t.notify(session, nil)
	key := sessionOf{session, t}
	added, watched := t.changes.add(key, w)
	if added {
		go func() { // ends with the session
			_ = session.Wait()
			t.changes.remove(key)
		}()
	}
	return watched
}

// sessionOf is the key of a session's watch. Each topic has one.
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

// subscriptionKey is the context key of a subscription. Each topic has its own.
type subscriptionKey struct{ *notifier }

// listen serves a subscription. It ends with the client or the server.
func (t *notifier) listen(ctx context.Context, req *mcp.SubscriptionsListenRequest, next mcp.MethodHandler) (mcp.Result, error) {
	params, rest := *req.Params, *req
	if params.Notifications != nil {
		asked := *params.Notifications
		params.Notifications, rest.Params = &asked, &params
	}
	wanted := params.Notifications != nil && t.wanted(params.Notifications)
	sub, err := Do(ctx, t.Host, req, listen, lookTimeout, func(ctx context.Context) (*subscription, error) {
		sub := &subscription{notifier: t, session: req.Session}
		if wanted {
			sub.watch = t.newWatch(registry.WithVia(ctx, via(req.Params.Meta)), req)
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
		case <-t.over:
			cancel()
		case <-ctx.Done():
		}
	}()
	res, err := next(ctx, listen, &rest)
	if err == nil && sub.begun { // without a topic of its own, the SDK's server does not wait
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
	sub.watch.notify = sub.notify(sub.session, mcp.Meta{mcp.MetaKeySubscriptionID: p.Meta[mcp.MetaKeySubscriptionID]})
	if _, sub.begun = sub.changes.add(sub, sub.watch); sub.begun {
		sub.grant(&p.Notifications)
	}
}
