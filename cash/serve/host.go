package serve

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Host is a [Server] as its [Face] sees it while it adds its tools: for the one
// connection that Run serves, or for all others.
type Host struct {
	server *Server
	conn   string   // id of the one connection; empty for many
	drains []*drain // those that a call enters: the server's, and the connection's
}

// Tool makes an SDK handler of f: it decides who the caller is, refuses calls
// while the server stops, recovers from panics, answers when the request is
// cancelled or the timeout is over whatever f does, and lets render make a
// result of every error. With a timeout of zero f has deadlines of its own and
// is trusted to end with its context.
func (h *Host) Tool(f ToolFunc, timeout time.Duration, render func(error) *registry.Result) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := h.run(ctx, f, timeout, req)
		if err != nil {
			r = render(err)
		}
		return toolResult(r, req), nil
	}
}

func (h *Host) run(ctx context.Context, f ToolFunc, timeout time.Duration, req *mcp.CallToolRequest) (r *registry.Result, err error) {
	ctx, call, err := enter(ctx, h.drains)
	if err != nil {
		return nil, err
	}
	defer func() {
		call.leave()
		if v := recover(); v != nil {
			logPanic(ctx, h.server.opts.Logger, req.Params.Name, v)
			r, err = nil, errPanic
		}
	}()
	if timeout > 0 {
		return h.within(ctx, timeout, f, req)
	}
	ctx, own, err := h.request(ctx, req)
	if err != nil {
		return nil, err
	}
	return f(ctx, own)
}

// within runs f apart, with a deadline.
func (h *Host) within(ctx context.Context, timeout time.Duration, f ToolFunc, req *mcp.CallToolRequest) (*registry.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return Apart(ctx, h.server.opts.Logger, req.Params.Name, func() (*registry.Result, error) {
		ctx, own, err := h.request(ctx, req)
		if err != nil {
			return nil, err
		}
		return f(ctx, own)
	})
}

// request returns a call of a tool as faces see it, and its context with the caller.
func (h *Host) request(ctx context.Context, req *mcp.CallToolRequest) (context.Context, *Request, error) {
	ctx, err := h.server.identify(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	ctx = registry.WithVia(ctx, via(req))
	return ctx, &Request{
		Arguments: req.Params.Arguments,
		Session:   Session(req),
		Progress:  progress(req),
		Client:    client(ctx, req, h.connection(req)),
	}, nil
}

// addTo adds the face to srv.
func (h *Host) addTo(srv *mcp.Server) {
	h.server.face.Add(srv, h)
	srv.AddReceivingMiddleware(h.received)
}

// received keeps a panic in any handler from ending the process, and from the SDK
// what it could not write. It adds the face's instructions when a client connects.
func (h *Host) received(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				logPanic(ctx, h.server.opts.Logger, method, v)
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		res, err = next(ctx, method, req)
		if err == nil {
			h.instruct(ctx, req, res)
		}
		return encodable(ctx, h.server.opts.Logger, method, req, res, err)
	}
}

// mcpServer returns an MCP server that has nothing but the face.
func (h *Host) mcpServer() *mcp.Server {
	srv := mcp.NewServer(h.server.impl, &mcp.ServerOptions{
		Capabilities: h.capabilities(),
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = private },
	})
	h.addTo(srv)
	return srv
}

func (h *Host) capabilities() *mcp.ServerCapabilities {
	c := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: h.server.changes != nil}}
	if h.server.opts.Logging {
		//lint:ignore SA1019 it works as long as clients ask for it
		c.Logging = &mcp.LoggingCapabilities{}
	}
	return c
}

// instruct adds the face's instructions to the server's own in the answer to a
// client that connects: they depend on who it is.
func (h *Host) instruct(ctx context.Context, req mcp.Request, res mcp.Result) {
	switch r := res.(type) {
	case *mcp.InitializeResult:
		r.Instructions = h.instructions(ctx, req, r.Instructions)
	case *mcp.DiscoverResult:
		r.Instructions = h.instructions(ctx, req, r.Instructions)
	}
}

// instructTimeout is how long a client waits for its instructions at most.
const instructTimeout = 5 * time.Second

func (h *Host) instructions(ctx context.Context, req mcp.Request, own string) string {
	line, err := Do(ctx, h, req, "instructions", instructTimeout, func(ctx context.Context) (string, error) {
		return paragraphs(h.server.opts.Instructions, h.server.face.Instructions(ctx)), nil
	})
	if err != nil {
		return own // who is refused is told so by the tools
	}
	return paragraphs(own, line)
}

// paragraphs joins two texts, of which each may be empty.
func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
