package serve

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Do runs f for the caller of a request that is not a tool call. Like [Apart] it returns when the
// request is cancelled or the timeout is over, even if f does not. Like a call, it may be refused
// ([Options.Limiter]). what is its name in the log.
func Do[T any](ctx context.Context, h *Host, req mcp.Request, what string, timeout time.Duration, f func(context.Context) (T, error)) (T, error) {
	return do(ctx, h, req, what, timeout, func(ctx context.Context) (none T, err error) {
		admitted, err := h.server.opts.Limiter.Enter(ctx, payer(ctx, h.connection(req)))
		if err != nil {
			return none, err
		}
		defer admitted.Leave()
		return f(admitted)
	})
}

// do is Do for what is never refused.
func do[T any](ctx context.Context, h *Host, req mcp.Request, what string, timeout time.Duration, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return Apart(ctx, h.server.opts.Logger, what, func() (T, error) {
		ctx, err := h.server.identify(ctx, req)
		if err != nil {
			var none T
			return none, err
		}
		return f(ctx)
	})
}

// Session returns the session of a request if it lasts: on stdio and in memory that of the
// connection, over HTTP one with an id. Nil is none: the request stands alone.
func Session(req mcp.Request) *mcp.ServerSession {
	ss, _ := req.GetSession().(*mcp.ServerSession)
	if extra := req.GetExtra(); ss == nil || extra != nil && extra.Header != nil && ss.ID() == "" {
		return nil
	}
	return ss
}
