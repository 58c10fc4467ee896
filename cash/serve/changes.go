package serve

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Changing is a [Face] of which the [Listed] tools may be others after a while.
// Clients are told so: those with a session once they have listed tools, and then
// again when they have listed them again; those of 2026-07-28 if they subscribe to
// it, which the SDK allows after [Server.AddTo] only on a server that has tools of
// its own or declares the capability.
type Changing interface {
	Face
	// Changed returns a channel that is closed when tools may have changed next,
	// of whomever; see [registry.Changed]. Nil is that they never do.
	Changed() <-chan struct{}
}

// changes tells clients when the tools that they see are others. What changes for
// others is not to be noticed, so each client's tools are looked at, as its caller
// sees them, and compared.
//
// One goroutine does that as long as there is somebody to tell.
type changes struct {
	next func() <-chan struct{}
	log  *slog.Logger

	mu      sync.Mutex
	watches map[any]*watch // by session or subscription
	stop    chan struct{}  // ends the goroutine; nil if there is none
}

// watch is somebody who wants to know.
type watch struct {
	look func(context.Context) (digest, error) // at the tools
	tell func(context.Context) error
	once bool // until the tools have been listed again

	looking atomic.Bool // looked at, right now: rules of the embedder may hang

	// Guarded by changes.mu:
	seen   digest
	told   bool
	busy   bool // being told: a client that does not read holds that up
	missed bool // there was a change meanwhile
}

// digest stands for the definitions of all tools.
type digest [sha256.Size]byte

// digestOf reads a list to its end.
func digestOf(ctx context.Context, list ToolList) (digest, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for i := range list.Names {
		if err := ctx.Err(); err != nil {
			return digest{}, err
		}
		if err := enc.Encode(list.Tool(i)); err != nil {
			return digest{}, err
		}
	}
	return digest(h.Sum(nil)), nil
}

// Changes come in bursts, as when servers are connected to.
const (
	changeQuiet = 100 * time.Millisecond // after the last one
	changeWait  = time.Second            // after the first one
	lookTimeout = 5 * time.Second
	tellTimeout = 10 * time.Second
	maxWatches  = 10_000 // further clients are not told
)

// watch begins to watch for key, or begins anew. What w sees now is what later
// looks are compared with.
func (c *changes) watch(ctx context.Context, key any, w *watch) (added bool) {
	changed := c.next()
	seen, err := w.look(ctx)
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.watches[key]; old != nil {
		old.seen, old.told = seen, false
		return false
	}
	if len(c.watches) >= maxWatches {
		return false
	}
	if c.watches == nil {
		c.watches = make(map[any]*watch)
	}
	w.seen = seen
	c.watches[key] = w
	if c.stop == nil {
		c.stop = make(chan struct{})
		go c.run(changed, c.stop)
	}
	return true
}

// forget ends what watch has begun.
func (c *changes) forget(key any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watches, key)
	if len(c.watches) == 0 && c.stop != nil {
		close(c.stop)
		c.stop = nil
	}
}

// run looks after changes until it is stopped. changed was there before anything
// was looked at.
func (c *changes) run(changed <-chan struct{}, stop <-chan struct{}) {
	for {
		select {
		case <-changed:
		case <-stop:
			return
		}
		var ok bool
		if changed, ok = c.calm(stop); !ok {
			return
		}
		c.check(stop)
	}
}

// calm waits for the end of a burst of changes, but not for ever, and returns what
// the next one closes. It reports false if there is nobody left to tell.
func (c *changes) calm(stop <-chan struct{}) (<-chan struct{}, bool) {
	for waited := changeQuiet; ; waited += changeQuiet {
		changed := c.next()
		select {
		case <-time.After(changeQuiet):
		case <-stop:
			return nil, false
		}
		select {
		case <-changed:
			if waited < changeWait {
				continue
			}
		default:
		}
		return changed, true
	}
}

// check tells everybody whose tools have changed.
func (c *changes) check(stop <-chan struct{}) {
	c.mu.Lock()
	due := make(map[any]*watch, len(c.watches))
	for key, w := range c.watches {
		if !w.told {
			due[key] = w
		}
	}
	c.mu.Unlock()
	for key, w := range due {
		select {
		case <-stop:
			return
		default:
		}
		c.compare(key, w)
	}
}

// compare looks for one client, and tells it if there is something to tell.
func (c *changes) compare(key any, w *watch) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	if !w.looking.CompareAndSwap(false, true) {
		return // it still hangs
	}
	now, err := Apart(ctx, c.log, "tools/list", func() (digest, error) {
		defer w.looking.Store(false)
		return w.look(ctx)
	})
	if err != nil || !c.news(key, w, now) {
		return
	}
	go func() { // ends with the connection at the latest
		for tell := true; tell; tell = c.rest(w) {
			ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
			if err := w.tell(ctx); err != nil {
				c.log.Debug("a client was not told that tools have changed", "error", err)
			}
			cancel()
		}
	}()
}

// news notes what has been seen, and reports whether the client is to be told
// of it by the caller.
func (c *changes) news(key any, w *watch, now digest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now == w.seen || w.told || c.watches[key] != w {
		return false
	}
	w.seen, w.told = now, w.once
	w.missed = w.busy
	first := !w.busy
	w.busy = true
	return first
}

// rest ends the telling, and reports whether there is more to tell.
func (c *changes) rest(w *watch) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	more := w.missed
	w.busy, w.missed = more, false
	return more
}

const (
	listChanged  = "notifications/tools/list_changed"
	acknowledged = "notifications/subscriptions/acknowledged"
	listen       = "subscriptions/listen"
)

// watching lets the tools of l be watched for the clients of srv.
func (s *Server) watching(srv *mcp.Server, l *Listed) {
	var send mcp.MethodHandler
	srv.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		send = next
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if sub, ok := ctx.Value(subscriptionKey{}).(*subscription); ok && method == acknowledged {
				sub.begin(ctx, req)
			}
			return next(ctx, method, req)
		}
	})
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch r := req.(type) {
			case *mcp.ListToolsRequest:
				res, err := next(ctx, method, req)
				if err == nil && cursor(r) == "" {
					s.watchSession(ctx, l, r, send)
				}
				return res, err
			case *mcp.SubscriptionsListenRequest:
				return s.listen(ctx, l, r, send, next)
			}
			res, err := next(ctx, method, req)
			if r, ok := res.(*mcp.InitializeResult); ok && err == nil && r.Capabilities != nil {
				r.Capabilities.Tools = &mcp.ToolCapabilities{ListChanged: true}
			}
			return res, err
		}
	})
}

// bare is a context without values.
type bare struct{ context.Context }

func (bare) Value(any) any { return nil }

// looking returns what looks at the tools of the request's caller. Rules of
// visibility find nothing else in the context: what else a request had in its own
// may be gone with it.
func (s *Server) looking(ctx context.Context, l *Listed, req *mcp.ListToolsRequest) (func(context.Context) (digest, error), error) {
	ctx, err := s.Identify(ctx, req)
	if err != nil {
		return nil, err
	}
	caller := registry.CallerFrom(ctx)
	return func(ctx context.Context) (digest, error) {
		ctx = registry.WithCaller(bare{ctx}, caller)
		list, err := l.List(ctx, req)
		if err != nil {
			return digest{}, err
		}
		return digestOf(ctx, list)
	}, nil
}

// notify returns what tells a session, or one subscription of it.
func notify(send mcp.MethodHandler, session *mcp.ServerSession, meta mcp.Meta) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := send(ctx, listChanged, &mcp.ServerRequest[*mcp.ToolListChangedParams]{
			Session: session, Params: &mcp.ToolListChangedParams{Meta: meta},
		})
		return err
	}
}

// watchSession watches for a session that has listed tools, until it ends.
func (s *Server) watchSession(ctx context.Context, l *Listed, req *mcp.ListToolsRequest, send mcp.MethodHandler) {
	session := Session(req)
	if session == nil || req.ProtocolVersion() >= stateless {
		return
	}
	added, _ := Do(ctx, s, req, "tools/list", lookTimeout, func(ctx context.Context) (bool, error) {
		look, err := s.looking(ctx, l, req)
		if err != nil {
			return false, err
		}
		return s.changes.watch(ctx, session, &watch{look: look, tell: notify(send, session, nil), once: true}), nil
	})
	if !added {
		return
	}
	go func() { // ends with the session
		_ = session.Wait()
		s.changes.forget(session)
	}()
}

// subscription is a request of a client to be told, which lasts until the client
// goes.
type subscription struct {
	changes *changes
	look    func(context.Context) (digest, error)
	send    mcp.MethodHandler
	session *mcp.ServerSession
}

type subscriptionKey struct{}

// listen serves a subscription. It ends when the client goes, or the server.
func (s *Server) listen(ctx context.Context, l *Listed, req *mcp.SubscriptionsListenRequest, send, next mcp.MethodHandler) (mcp.Result, error) {
	as := &mcp.ListToolsRequest{Session: req.Session, Extra: req.Extra, Params: &mcp.ListToolsParams{Meta: req.Params.Meta}}
	look, err := s.looking(ctx, l, as)
	if err != nil { // who is refused hears of nothing
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: registry.AsError(err).Error()}
	}
	sub := &subscription{s.changes, look, send, req.Session}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, subscriptionKey{}, sub))
	defer cancel()
	defer s.changes.forget(sub)
	go func() {
		select {
		case <-s.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	return next(ctx, listen, req)
}

// begin begins to watch, if the client is about to learn that it will be told.
func (sub *subscription) begin(ctx context.Context, req mcp.Request) {
	p, ok := req.GetParams().(*mcp.SubscriptionsAcknowledgedParams)
	if !ok || !p.Notifications.ToolsListChanged {
		return
	}
	meta := mcp.Meta{mcp.MetaKeySubscriptionID: p.Meta[mcp.MetaKeySubscriptionID]}
	sub.changes.watch(ctx, sub, &watch{look: sub.look, tell: notify(sub.send, sub.session, meta)})
}
