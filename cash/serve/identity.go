package serve

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// callerExtra is the key under which a token carries the caller that the
// embedder's HTTP middleware has put into the request's context.
const callerExtra = "github.com/cash-mcp/go-sdk/caller"

// identify returns the context of a request with its caller in it. The error is
// that of [Options.Identify] and refuses the request.
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

// CarryCaller hands the caller in an HTTP request's context
// ([registry.WithCaller]) on to the tools that the request calls.
// [Server.Handler] has it built in; an embedder who serves a face through an
// HTTP handler of the SDK's, after [Server.AddTo], wraps that handler with it.
//
// The SDK carries nothing else than a token so far, and binds a session to the
// token's user, which is what is wanted here too.
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

// connection identifies the connection of a request, or is empty: stateless
// requests have none that could be told from another, and what an embedder
// serves by itself is not known here.
func (h *Host) connection(req *mcp.CallToolRequest) string {
	overHTTP := req.Extra != nil && req.Extra.Header != nil
	if overHTTP && req.Session != nil {
		return req.Session.ID()
	}
	return h.conn
}
