package serve

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Watched is a resource that clients of a [Changing] face can subscribe to. The SDK notifies all
// subscribers of a resource at once, and would so tell of changes that a client does not see.
type Watched struct {
	// URI is the resource's. The face adds the resource itself.
	URI string
	// Revision returns a text that changes whenever the caller in ctx sees another content. ctx has
	// the caller and the servers that the request came through ([registry.Via]), and nothing else.
	Revision func(ctx context.Context) (string, error)
}

const (
	subscribe       = "resources/subscribe"
	unsubscribe     = "resources/unsubscribe"
	resourceUpdated = "notifications/resources/updated"
)

// codeNoResource is the code for an unknown resource up to 2025-11-25, the last version with
// resources/subscribe.
const codeNoResource = -32002

// AddWatched lets clients of srv subscribe to w, and declares that they can. It does nothing if the
// face never changes. [Face.Add] calls it, once at most.
func (h *Host) AddWatched(srv *mcp.Server, w *Watched) {
	if t := h.newNotifier(srv, resourceTopic{w}); t != nil {
		h.watched, h.watchedURI = t, w.URI
	}
}

// subscriptions handles the requests of subscribers. Without a watched resource, all go to next.
func (h *Host) subscriptions(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	if h.watched == nil {
		return next(ctx, method, req)
	}
	switch r := req.(type) {
	case *mcp.SubscriptionsListenRequest:
		return h.watched.listen(ctx, r, next)
	case *mcp.SubscribeRequest:
		if r.Params.URI == h.watchedURI {
			return h.watched.subscribe(ctx, r)
		}
	case *mcp.UnsubscribeRequest:
		if r.Params.URI == h.watchedURI {
			h.watched.changes.pause(sessionOf{r.Session, h.watched})
			return new(empty), nil
		}
	}
	res, err := next(ctx, method, req)
	return res, noSuchResource(err)
}

// Revision returns the revision of w for the client of a request to read it.
func (h *Host) Revision(ctx context.Context, req *mcp.ReadResourceRequest, w *Watched) (string, error) {
	return Do(ctx, h, req, "revision", lookTimeout, func(ctx context.Context) (string, error) {
		return w.Revision(viewer(ctx, registry.WithVia(ctx, via(req.Params.Meta))))
	})
}

// subscribe serves resources/subscribe.
func (t *notifier) subscribe(ctx context.Context, req *mcp.SubscribeRequest) (mcp.Result, error) {
	session := Session(req)
	if session == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a subscription needs a session, or " + listen + " of " + stateless}
	}
	w, err := Do(ctx, t.Host, req, subscribe, lookTimeout, func(ctx context.Context) (*watch, error) {
		return t.newWatch(registry.WithVia(ctx, via(req.Params.Meta)), req), nil
	})
	switch {
	case err != nil: // a refused caller gets no notifications
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: registry.AsError(err).Error()}
	case !t.addSession(session, w):
		return nil, &jsonrpc.Error{Code: codeBusy, Message: "too many subscriptions: try again later"}
	}
	return new(empty), nil
}

// declareSubscribe adds the subscribe capability to the answer to a connecting client that can
// subscribe: up to 2025-11-25 it needs a session.
func (h *Host) declareSubscribe(req mcp.Request, res mcp.Result) {
	var c *mcp.ServerCapabilities
	switch r := res.(type) {
	case *mcp.InitializeResult:
		if Session(req) != nil {
			c = r.Capabilities
		}
	case *mcp.DiscoverResult:
		c = r.Capabilities
	}
	if h.watched != nil && c != nil && c.Resources != nil {
		c.Resources.Subscribe = true
	}
}

// noSuchResource returns the error for a resource that nobody can subscribe to. The SDK's error
// would say that the server has no subscriptions.
func noSuchResource(err error) error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && wire.Code == jsonrpc.CodeMethodNotFound {
		return &jsonrpc.Error{Code: codeNoResource, Message: "no such resource to subscribe to"}
	}
	return err
}

// empty is a result without members. The SDK does not export its own.
type empty struct{ mcp.SubscriptionsListenResult }

// MarshalJSON implements [json.Marshaler].
func (*empty) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// resourceTopic is the [topic] of a resource.
type resourceTopic struct{ *Watched }

func (r resourceTopic) look(ctx context.Context, _ mcp.Request) (digest, error) {
	revision, err := r.Revision(ctx)
	if err != nil {
		return digest{}, err
	}
	return sha256.Sum256([]byte(revision)), nil
}

func (r resourceTopic) message(to *mcp.ServerSession, meta mcp.Meta) (string, mcp.Request) {
	return resourceUpdated, &mcp.ServerRequest[*mcp.ResourceUpdatedNotificationParams]{
		Session: to, Params: &mcp.ResourceUpdatedNotificationParams{Meta: meta, URI: r.URI},
	}
}

// wanted removes the resource, because the SDK would refuse it or look for a handler.
func (r resourceTopic) wanted(n *mcp.NotificationSubscriptions) bool {
	rest := slices.DeleteFunc(slices.Clone(n.ResourceSubscriptions), func(uri string) bool { return uri == r.URI })
	wanted := len(rest) < len(n.ResourceSubscriptions)
	n.ResourceSubscriptions = rest
	return wanted
}

func (r resourceTopic) grant(n *mcp.NotificationSubscriptions) {
	n.ResourceSubscriptions = append(n.ResourceSubscriptions, r.URI)
}
