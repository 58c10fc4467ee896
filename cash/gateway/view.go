package gateway

import (
	"context"
	"encoding/json"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall/view"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A ViewRequest asks for a part of an artifact.
type ViewRequest struct {
	Handle   string
	Selector json.RawMessage // empty or null is the beginning
}

// View returns a part of an artifact that a call of the caller in ctx produced. Its errors are
// *[Error].
func (s *Server) View(ctx context.Context, req *ViewRequest) (*view.Page, error) {
	return serve.Direct(ctx, s.Server, viewName, nil, func(ctx context.Context, rec *observe.Record) (*view.Page, error) {
		return s.view(ctx, req, &serve.Request{Record: rec})
	})
}

var beginning = json.RawMessage(`{"type":"head"}`)

func (s *Server) view(ctx context.Context, req *ViewRequest, from *serve.Request) (*view.Page, error) {
	if req == nil {
		req = new(ViewRequest)
	}
	selector := req.Selector
	if strictjson.KindOf(selector) == strictjson.Null {
		selector = beginning
	}
	page, err := s.opts.Firewall.View(ctx, from.Owner(ctx), req.Handle, selector)
	if err != nil {
		return nil, viewError(err)
	}
	return page, nil
}
