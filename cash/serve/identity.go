package serve

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// callerExtra is the key of a token's extra data for the caller that the embedder's HTTP middleware
// put into the request's context.
const callerExtra = "github.com/cash-mcp/go-sdk/caller"

// identify returns the context of a request with its caller. The error is that of
// [Options.Identify] and refuses the request.
func (s *Server) identify(ctx context.Context, req mcp.Request) (context.Context, error) {
	if s.opts.Identify != nil {
		c, err := s.opts.Identify(ctx, req)
		if err != nil {
			s.opts.Logger.WarnContext(ctx, "request refused", "reason", err.Error())
			return nil, &registry.Error{Kind: registry.Denied, Message: "The request was refused: " + err.Error() + ".", Err: err}
		}
		return registry.WithCaller(ctx, c), nil
	}
	extra := req.GetExtra()
	if extra == nil || (extra.TokenInfo == nil && extra.Header == nil) {
		return ctx, nil // stdio or in memory: the embedder's context
	}
	// The context of an HTTP session is that of its first request, so its caller does not count for
	// later ones.
	return registry.WithCaller(ctx, tokenCaller(extra.TokenInfo)), nil
}

// tokenCaller returns the caller of a token: the one that CarryCaller put in, else the token's user.
func tokenCaller(t *auth.TokenInfo) *registry.Caller {
	if t == nil {
		return nil
	}
	if c, ok := t.Extra[callerExtra].(*registry.Caller); ok {
		return c
	}
	return &registry.Caller{ID: t.UserID, Roles: t.Scopes}
}

// CarryCaller passes the caller in an HTTP request's context ([registry.WithCaller]) on to the
// tools. [Server.Handler] includes it. An embedder that serves a face through an HTTP handler of
// the SDK, after [Server.AddTo], wraps that handler with it.
//
// The SDK passes only a token on. It binds a session to the token's user, as is also right for this
// caller.
func CarryCaller(next http.Handler) http.Handler {
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

// connection returns the id of a request's connection. Empty if it is unknown: stateless requests
// have none, and this package does not see connections that an embedder serves.
func (h *Host) connection(req mcp.Request) string {
	session, _ := req.GetSession().(*mcp.ServerSession)
	if extra := req.GetExtra(); session != nil && extra != nil && extra.Header != nil {
		return session.ID()
	}
	return h.conn
}
