package serve

import (
	"context"
	"maps"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// carriedExtra is the key of a token's extra data for the request that it belongs to. A token is all that the SDK
// passes on from an HTTP request, besides headers. In a session, the SDK's context is that of the first request.
const carriedExtra = "github.com/cash-mcp/go-sdk/request"

// carriedKey is the key of a context for the HTTP request that its values are those of.
type carriedKey struct{}

// carried is the part of an HTTP request that CarryContext passes on, and its context.
type carried struct {
	context.Context
	token  *auth.TokenInfo // nil if the request has none
	header http.Header
}

// Value implements [context.Context].
func (c *carried) Value(key any) any {
	if key == (carriedKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// CarryContext passes the values in an HTTP request's context on to the tools: the caller
// ([registry.WithCaller]) and all else that the embedder's middleware put there. [Server.Handler]
// includes it. An embedder that serves a face through an HTTP handler of the SDK, after
// [Server.AddTo], wraps that handler with it; otherwise the values in a session are those of its
// first request, and nobody is the caller.
//
// The SDK binds a session to the user of the token that began it. CarryContext lets it do so with the
// caller too.
func CarryContext(next http.Handler) http.Handler {
	restored := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header = carriedIn(r.Context()).header
		next.ServeHTTP(w, r)
	})
	h := auth.RequireBearerToken(carry, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true, ClockSkew: anySkew})(restored)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &carried{Context: r.Context(), token: auth.TokenInfoFromContext(r.Context()), header: r.Header}
		r = r.WithContext(c)
		r.Header = carrying
		h.ServeHTTP(w, r)
	})
}

// carrying is the header with which the SDK's middleware calls carry. It is only read.
var carrying = http.Header{"Authorization": {"Bearer request"}}

// anySkew accepts tokens that were accepted before.
const anySkew = 100 * 365 * 24 * time.Hour

// carry returns the request's token, or one of its caller, with the request.
func carry(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	c := carriedIn(ctx)
	var t auth.TokenInfo
	if c.token != nil {
		t = *c.token
	}
	t.UserID = userIn(ctx)
	if t.Extra = maps.Clone(t.Extra); t.Extra == nil {
		t.Extra = make(map[string]any, 1)
	}
	t.Extra[carriedExtra] = c
	return &t, nil
}

// userIn returns the user of the token of an HTTP request, else its caller's ID; empty if both are unknown.
func userIn(ctx context.Context) string {
	if t := auth.TokenInfoFromContext(ctx); t != nil {
		return t.UserID
	}
	if caller := registry.CallerFrom(ctx); caller != nil {
		return caller.ID
	}
	return ""
}

func carriedIn(ctx context.Context) *carried {
	c, _ := ctx.Value(carriedKey{}).(*carried)
	return c
}

// arrive returns ctx with the values of the HTTP request that req came with, if they were carried. It
// gives req the token that came.
func arrive(ctx context.Context, req mcp.Request) context.Context {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return ctx
	}
	c, ok := extra.TokenInfo.Extra[carriedExtra].(*carried)
	if !ok {
		return ctx
	}
	extra.TokenInfo = c.token
	return &arrived{Context: ctx, request: c, first: carriedIn(ctx)}
}

// arrived is the SDK's context of a request, with the values of its HTTP request in place of those of the
// session's first one.
type arrived struct {
	context.Context
	request *carried
	first   *carried
}

// Value implements [context.Context].
func (a *arrived) Value(key any) any {
	if key == (carriedKey{}) {
		return a.request
	}
	if v := a.request.Value(key); v != nil {
		return v
	}
	if a.first != nil && a.first.Value(key) != nil {
		return nil // the first request had it, this one does not
	}
	v := a.Context.Value(key)
	if t, ok := v.(*auth.TokenInfo); ok && t != nil && t.Extra[carriedExtra] != nil {
		return nil // it is ours
	}
	return v
}
