package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Changing is a [Face] of which the [Listed] tools may be others after a while.
// Clients are told so: those with a session once they have listed tools, and then
// again when they have listed them again; those of 2026-07-28 if they subscribe to
// it.
type Changing interface {
	Face
	// Changed returns a channel that is closed when tools may have changed next,
	// of whomever; see [registry.Changed]. Nil is that they never do. It does not
	// block.
	Changed() <-chan struct{}
}

const (
	listChanged  = "notifications/tools/list_changed"
	acknowledged = "notifications/subscriptions/acknowledged"
	listen       = "subscriptions/listen"
)

// teller tells the clients of an MCP server when the tools of one face have
// changed. Nil tells nobody.
type teller struct {
	*Host
	changes *changes
	listed  *Listed
	send    mcp.MethodHandler
}

// teller returns the one for the tools of l; nil if they never change.
func (h *Host) teller(srv *mcp.Server, l *Listed) *teller {
	if h.server.changes == nil {
		return nil
	}
	t := &teller{Host: h, changes: h.server.changes, listed: l}
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

// watch looks at the tools that the caller in ctx sees. Rules of visibility find
// nothing else in the context later: what else a request had in its own may be gone
// with it.
func (t *teller) watch(ctx context.Context, req *mcp.ListToolsRequest) *watch {
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

// notify returns what tells a session, or one subscription of it.
func (t *teller) notify(session *mcp.ServerSession, meta mcp.Meta) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := t.send(ctx, listChanged, &mcp.ServerRequest[*mcp.ToolListChangedParams]{
			Session: session, Params: &mcp.ToolListChangedParams{Meta: meta},
		})
		return err
	}
}

// session returns what begins to watch for the session of a request once it has
// been answered, until the session ends. It is to be called before the tools are
// looked up.
func (t *teller) session(ctx context.Context, req *mcp.ListToolsRequest) (begin func()) {
	session := Session(req)
	if t == nil || session == nil || cursor(req) != "" || req.ProtocolVersion() >= stateless {
		return func() {}
	}
	w := t.watch(ctx, req)
	w.tell, w.once = t.notify(session, nil), true
	// The tools of each face are watched by themselves.
	key := sessionOf{session, t}
	return func() {
		if !t.changes.watch(key, w) {
			return
		}
		go func() { // ends with the session
			_ = session.Wait()
			t.changes.forget(key)
		}()
	}
}

type sessionOf struct {
	session *mcp.ServerSession
	teller  *teller
}

// subscription is a request of a client to be told, which lasts until the client
// goes.
type subscription struct {
	*teller
	watch   *watch
	session *mcp.ServerSession
	begun   bool
}

// subscriptionKey is that of a subscription in a context: each face has its own.
type subscriptionKey struct{ *teller }

// listen serves a subscription. It ends when the client goes, or the server.
func (t *teller) listen(ctx context.Context, req *mcp.SubscriptionsListenRequest, next mcp.MethodHandler) (mcp.Result, error) {
	wanted := req.Params.Notifications
	as := &mcp.ListToolsRequest{Session: req.Session, Extra: req.Extra, Params: &mcp.ListToolsParams{Meta: req.Params.Meta}}
	sub, err := Do(ctx, t.Host, as, listen, lookTimeout, func(ctx context.Context) (*subscription, error) {
		sub := &subscription{teller: t, session: req.Session}
		if wanted != nil && wanted.ToolsListChanged {
			sub.watch = t.watch(ctx, as)
		}
		return sub, nil
	})
	if err != nil { // who is refused hears of nothing
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: registry.AsError(err).Error()}
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, subscriptionKey{t}, sub))
	defer cancel()
	defer t.changes.forget(sub)
	go func() {
		select {
		case <-t.server.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	res, err := next(ctx, listen, req)
	if err == nil && sub.begun { // the SDK does not wait on a server without tools of its own
		<-ctx.Done()
	}
	return res, err
}

// begin begins to watch when the client is about to learn what it will be told.
func (sub *subscription) begin(req mcp.Request) {
	p, ok := req.GetParams().(*mcp.SubscriptionsAcknowledgedParams)
	if !ok || sub.watch == nil {
		return
	}
	p.Notifications.ToolsListChanged = true
	sub.begun = true
	meta := mcp.Meta{mcp.MetaKeySubscriptionID: p.Meta[mcp.MetaKeySubscriptionID]}
	sub.watch.tell = sub.notify(sub.session, meta)
	sub.changes.watch(sub, sub.watch)
}
