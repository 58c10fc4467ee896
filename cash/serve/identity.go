package serve

import (
	"context"
	"net/http"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// callerExtra is the key under which a token carries the caller that the
// embedder's HTTP middleware has put into the request's context.
const callerExtra = "github.com/cash-mcp/go-sdk/caller"

// identify returns the context of a request with its caller in it.
func (s *Server) identify(ctx context.Context, req mcp.Request) (context.Context, error) {
	if s.opts.Identify != nil {
		c, err := s.opts.Identify(ctx, req)
		if err != nil {
			return nil, &registry.Error{Kind: registry.Denied, Message: "The request was refused: " + err.Error() + ".", Err: err}
		}
		return registry.WithCaller(ctx, c), nil
	}
	extra := req.GetExtra()
	if extra == nil || (extra.TokenInfo == nil && extra.Header == nil) {
		return ctx, nil // stdio or in memory: what the embedder put there
	}
	// The context of an HTTP session is that of its first request: whoever is
	// in there is not asked again.
	return registry.WithCaller(ctx, tokenCaller(extra.TokenInfo)), nil
}

func tokenCaller(t *auth.TokenInfo) *registry.Caller {
	if t == nil {
		return nil
	}
	if c, ok := t.Extra[callerExtra].(*registry.Caller); ok {
		return c
	}
	return &registry.Caller{ID: t.UserID, Roles: t.Scopes}
}

// carryCaller hands the caller in an HTTP request's context on to the handlers
// of that request. The SDK carries nothing else than a token so far, and binds
// a session to the token's user, which is what is wanted here too.
func carryCaller(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := registry.CallerFrom(r.Context())
		if c == nil || auth.TokenInfoFromContext(r.Context()) != nil {
			next.ServeHTTP(w, r)
			return
		}
		header := r.Header
		verified := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
			return &auth.TokenInfo{UserID: c.ID, Scopes: c.Roles, Extra: map[string]any{callerExtra: c}}, nil
		}
		restored := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header = header
			next.ServeHTTP(w, r)
		})
		with := r.Clone(r.Context())
		with.Header.Set("Authorization", "Bearer caller")
		auth.RequireBearerToken(verified, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(restored).ServeHTTP(w, with)
	})
}

// A Connection identifies the connection of a request: comparable, and it does
// not keep the connection alive. The zero Connection is none: stateless
// requests have no connection that could be told from another.
type Connection struct {
	session weak.Pointer[mcp.ServerSession]
}

func connectionOf(req *mcp.CallToolRequest) Connection {
	if req.Session == nil {
		return Connection{}
	}
	overHTTP := req.Extra != nil && req.Extra.Header != nil
	if overHTTP && req.Session.ID() == "" {
		return Connection{}
	}
	return Connection{weak.Make(req.Session)}
}
