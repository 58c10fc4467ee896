package serve

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stopped is the message to HTTP clients while the server stops.
const stopped = "the server is shutting down: try again in a moment"

// stateless is the first protocol version without sessions.
const stateless = "2026-07-28"

// web is the HTTP side of a server, made on first use.
type web struct {
	mu      sync.Mutex
	mcp     *mcp.Server
	end     context.CancelFunc // ends the context of mcp
	handler http.Handler
	pending pending // requests without an answer
	bodies  bodies

	sessions atomic.Pointer[sessions]
}

// Handler returns the handler of the MCP endpoint, for clients of both protocol generations. Mount
// it at one path, with the methods GET, POST and DELETE. All calls return the same handler.
//
// Clients up to 2025-11-25 get a session, those from 2026-07-28 on do not, unless [Options.HTTP]
// says otherwise. Pages of another origin are refused, as are Host headers that are not local on a
// loopback address; see [Options.AllowedOrigins] and [Options.AllowedHosts].
func (s *Server) Handler() http.Handler {
	s.web.mu.Lock()
	defer s.web.mu.Unlock()
	if s.web.handler == nil {
		ctx, end := context.WithCancel(context.Background())
		h := s.host()
		s.web.mcp, s.web.end = h.mcpServer(ctx), end
		s.web.handler = s.newHandler(s.web.mcp, newDirect(ctx, s, h, s.web.mcp))
		select {
		case <-s.closed:
			end()
		default:
		}
	}
	return s.web.handler
}

func (s *Server) newHandler(srv *mcp.Server, direct *direct) http.Handler {
	get := func(*http.Request) *mcp.Server { return srv }
	sessions := newSessions(s, srv, mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		SessionTimeout:             s.opts.SessionTimeout,
		MaxRequestBodyBytes:        s.opts.MaxBody,
		DisableLocalhostProtection: len(s.opts.AllowedHosts) > 0,
	}))
	s.web.sessions.Store(sessions)
	single := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		MaxRequestBodyBytes:          s.opts.MaxBody,
		PropagateRequestCancellation: true,
		DisableLocalhostProtection:   len(s.opts.AllowedHosts) > 0,
	})
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.withoutSession(r) {
			single.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
	h = s.addressed(s.inProgress(s.checked(direct, CarryContext(h))))
	if s.opts.VerifyToken != nil {
		h = auth.RequireBearerToken(s.opts.VerifyToken, s.opts.bearer())(h)
	}
	return paced(answerTime, s.observed(s.web.bodies.limit(s.opts.BodyTimeout, s.named(s.sameOrigin(s.open(s.web.pending.countPosts(h)))))))
}

// withoutSession reports whether a request stands alone.
func (s *Server) withoutSession(r *http.Request) bool {
	switch s.opts.HTTP {
	case SessionsOnly:
		return false
	case NoSessions:
		return true
	}
	return header(r.Header, versionHeader) >= stateless
}

// open refuses requests once the server is closed. While it stops, it refuses requests that begin
// something lasting: sessions and their streams.
func (s *Server) open(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stopping := s.drain.isStopping() && (r.Method == http.MethodGet || s.begins(r))
		select {
		case <-s.closed:
			stopping = true
		default:
		}
		if stopping {
			w.Header().Set("Retry-After", "5")
			http.Error(w, stopped, http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// close ends the HTTP sessions and their open streams, after the answers on their way have been
// delivered.
func (w *web) close() {
	w.mu.Lock()
	srv, end := w.mcp, w.end
	w.mu.Unlock()
	if srv == nil {
		return
	}
	defer end()
	w.pending.wait(deliverTimeout)
	var closing pending
	for ss := range srv.Sessions() {
		closing.add(1)
		go func() { // may wait for ever for a client that does not read
			defer closing.add(-1)
			_ = ss.Close()
		}()
	}
	closing.wait(deliverTimeout)
}
