package serve

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// Incoming is what a request brings to identify its caller with. It is shared, and must not be changed.
type Incoming struct {
	// Header is that of the HTTP request. Nil on stdio and in memory.
	Header http.Header
	// Token is the verified bearer token; see [Options.VerifyToken]. Nil is none.
	Token *auth.TokenInfo
	// Address is what [Options.Address] says. Empty is unknown.
	Address string
	// Session is the id of the HTTP session. Empty if the request stands alone, and on stdio and in
	// memory.
	Session string
}

// identify returns the context of a request with its caller. The error is that of
// [Options.Identify] and refuses the request.
func (s *Server) identify(ctx context.Context, req mcp.Request) (context.Context, error) {
	var in Incoming
	if extra := req.GetExtra(); extra != nil {
		in.Header, in.Token = extra.Header, extra.TokenInfo
	}
	switch {
	case s.opts.Identify != nil:
		if in.Address = addressIn(ctx); in.Header != nil && Session(req) != nil {
			in.Session = Session(req).ID()
		}
		c, err := s.opts.Identify(ctx, &in)
		if err != nil {
			s.opts.Logger.WarnContext(ctx, "request refused", "reason", err.Error())
			return nil, &registry.Error{Kind: registry.Denied, Message: "The request was refused: " + err.Error() + ".", Err: err}
		}
		return registry.WithCaller(ctx, c), nil
	case in.Token != nil:
		return registry.WithCaller(ctx, &registry.Caller{ID: in.Token.UserID, Roles: in.Token.Scopes}), nil
	case in.Header != nil && ctx.Value(carriedKey{}) == nil: // the context may be that of another request
		return registry.WithCaller(ctx, nil), nil
	}
	return ctx, nil
}

// connection returns the id of a request's connection. Empty if it is unknown: stateless requests
// have none, and this package does not see connections that an embedder serves.
func (h *Host) connection(req *mcp.CallToolRequest) string {
	overHTTP := req.Extra != nil && req.Extra.Header != nil
	if overHTTP && req.Session != nil {
		return req.Session.ID()
	}
	return h.conn
}
