package serve

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// newServer returns an MCP server with the embedder's own things ([Options.NewServer]).
func (h *Host) newServer(ctx context.Context, opts *mcp.ServerOptions) *mcp.Server {
	impl := *h.server.impl
	if h.server.opts.NewServer == nil {
		return mcp.NewServer(&impl, opts)
	}
	srv := h.server.opts.NewServer(ctx, &impl, opts)
	if srv == nil {
		panic("serve: the option NewServer returned nil")
	}
	srv.AddReceivingMiddleware(h.own) // inside of all that the face adds
	return srv
}

// runServer serves the connection of Run. The embedder's code that makes the server may panic.
func (h *Host) runServer(ctx context.Context, t mcp.Transport) error {
	srv, err := Apart(ctx, h.server.opts.Logger, "NewServer", func() (*mcp.Server, error) { return h.mcpServer(ctx), nil })
	if err != nil {
		return fmt.Errorf("serve: making the server of a connection: %w", err)
	}
	return srv.Run(ctx, t)
}

// AddResource adds a resource of the face to srv. [Face.Add] calls it. read finds out for whom it reads; see [Do].
func (h *Host) AddResource(srv *mcp.Server, r *mcp.Resource, read mcp.ResourceHandler) {
	if h.resources == nil {
		h.resources = make(map[string]bool, 1)
	}
	h.resources[r.URI] = true
	srv.AddResource(r, read)
}

// own is a middleware for the resources, prompts and completions of the embedder.
func (h *Host) own(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.SubscriptionsListenRequest:
			return h.ownListen(ctx, r, next)
		case *mcp.ReadResourceRequest:
			if h.resources[r.Params.URI] {
				return next(ctx, method, req)
			}
		case *mcp.ListResourcesRequest, *mcp.ListResourceTemplatesRequest, *mcp.SubscribeRequest, *mcp.UnsubscribeRequest,
			*mcp.ListPromptsRequest, *mcp.GetPromptRequest, *mcp.CompleteRequest:
		default:
			return next(ctx, method, req)
		}
		res, err := h.runOwn(ctx, method, req, next)
		return res, asWire(err)
	}
}

// runOwn runs a handler of the embedder as [Host.Tool] runs a tool.
func (h *Host) runOwn(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	ctx, call, err := enter(ctx, h.drains)
	if err != nil {
		return nil, err
	}
	defer call.leave()
	if limit := h.server.opts.Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	return Apart(ctx, h.server.opts.Logger, method, func() (mcp.Result, error) {
		ctx, err := h.known(ctx, req)
		if err != nil {
			return nil, err
		}
		admitted, err := h.server.opts.Limiter.Enter(ctx, payer(ctx, h.connection(req)))
		if err != nil {
			return nil, err
		}
		defer admitted.Leave()
		if !call.begin() {
			return nil, errStopping
		}
		return next(admitted, method, req)
	})
}

// known returns the context of a request with its caller and the servers that it came through.
func (h *Host) known(ctx context.Context, req mcp.Request) (context.Context, error) {
	ctx, err := h.server.identify(ctx, req)
	if err != nil {
		return nil, err
	}
	return registry.WithVia(ctx, via(req.GetParams().GetMeta())), nil
}

// ownListen serves a subscription to what the embedder has. It ends with the client or the server.
func (h *Host) ownListen(ctx context.Context, req *mcp.SubscriptionsListenRequest, next mcp.MethodHandler) (mcp.Result, error) {
	ctx, err := h.known(ctx, req)
	if err != nil {
		return nil, asWire(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-h.server.closed:
			cancel()
		case <-h.over:
			cancel()
		case <-ctx.Done():
		}
	}()
	return next(ctx, listen, req)
}

// asWire returns the JSON-RPC error for an error of the registry, and any other error as it is.
func asWire(err error) error {
	var wire *jsonrpc.Error
	var ours *registry.Error
	if errors.As(err, &ours) && !errors.As(err, &wire) {
		return failed(ours)
	}
	return err
}
