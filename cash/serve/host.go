package serve

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/skillext"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Host is a [Server] while its [Face] adds tools: for one connection that Run serves, or for all
// others. The face wraps its handlers with it.
type Host struct {
	server *Server
	conn   string        // the id of the one connection; empty for all others
	drains []*drain      // a call enters these: the server's, and the connection's
	over   chan struct{} // closed when the one connection ends; subscriptions end then

	transport  string            // of the one connection
	innermost  mcp.MethodHandler // the SDK's own; nil on an MCP server of the embedder
	watched    *notifier         // of the watched resource; nil if there is none
	watchedURI string
	skills     *skills         // nil if the face has none
	resources  map[string]bool // URIs of the face's resources
}

// Tool makes an SDK handler of f:
//
//   - It identifies the caller.
//   - It refuses calls while the server stops, and those without room ([Options.Limiter]).
//   - It recovers from panics.
//   - It answers when the request is cancelled or the timeout is over, even if f does not return.
//   - It makes a result of every error with render.
//
// With a timeout of zero, f must have deadlines of its own and end with its context.
func (h *Host) Tool(f ToolFunc, timeout time.Duration, render func(error) *registry.Result) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := h.run(ctx, f, timeout, req)
		h.ran(ctx, req, r, err)
		if err != nil {
			r = render(err)
		}
		return toolResult(r, req), nil
	}
}

// run is the part of [Host.Tool] before render.
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
		return h.runApart(ctx, timeout, call, f, req)
	}
	admitted, own, err := h.admit(ctx, call, req)
	if err != nil {
		return nil, err
	}
	defer admitted.Leave()
	return f(admitted, own)
}

// runApart runs f in a goroutine of its own with a deadline; see [Apart].
func (h *Host) runApart(ctx context.Context, timeout time.Duration, call *inFlight, f ToolFunc, req *mcp.CallToolRequest) (*registry.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return Apart(ctx, h.server.opts.Logger, req.Params.Name, func() (*registry.Result, error) {
		admitted, own, err := h.admit(ctx, call, req)
		if err != nil {
			return nil, err
		}
		defer admitted.Leave()
		return f(admitted, own)
	})
}

// admit identifies the caller of a tool call and waits until there is room for it. It returns the context of the call.
func (h *Host) admit(ctx context.Context, call *inFlight, req *mcp.CallToolRequest) (*registry.Admission, *Request, error) {
	ctx, own, err := h.request(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	admitted, err := h.server.opts.Limiter.Enter(ctx, own.Client.Payer)
	if err != nil {
		return nil, nil, err
	}
	if !call.begin() {
		admitted.Leave()
		return nil, nil, errStopping
	}
	return admitted, own, nil
}

// request returns the [Request] for a tool call, and its context with the caller.
func (h *Host) request(ctx context.Context, req *mcp.CallToolRequest) (context.Context, *Request, error) {
	ctx, err := h.server.identify(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	ctx = registry.WithVia(ctx, via(req.Params.Meta))
	own := &Request{
		Arguments: req.Params.Arguments,
		Session:   Session(req),
		Progress:  progress(req),
		Client:    client(ctx, req, h.connection(req)),
		DryRun:    req.Params.Meta[registry.MetaDryRun] == true,
		Record:    h.record(ctx),
	}
	own.Record.Note(func(r *observe.Request) { r.Owner = own.Client.Owner })
	return ctx, own, nil
}

// addTo adds the face to srv.
func (h *Host) addTo(srv *mcp.Server) {
	h.server.face.Add(srv, h)
	if f, ok := h.server.face.(Skilled); ok {
		h.addSkills(srv, f.Skills())
	}
	srv.AddReceivingMiddleware(h.received)
}

// received is a middleware for all requests. It gives them the values of their HTTP requests, tells the
// hook, recovers from panics in any handler, keeps results that cannot be written from the SDK, and adds
// the face's instructions when a client connects.
func (h *Host) received(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		ctx, rec := h.begin(arrive(ctx, req), method, req)
		defer func() {
			if v := recover(); v != nil {
				logPanic(ctx, h.server.opts.Logger, method, v)
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
			h.end(rec, method, req, res, err)
		}()
		h.used(method, req)
		switch method {
		case listen, subscribe, unsubscribe:
			res, err = h.subscriptions(ctx, method, req, next)
		case skillext.MethodList, skillext.MethodGet, skillext.MethodReadDir, readResource:
			res, err = h.skilled(ctx, method, req, next)
		default:
			res, err = next(ctx, method, req)
		}
		if err == nil {
			h.instruct(ctx, req, res)
			h.declareSubscribe(req, res)
			h.declareSkills(res)
		}
		return h.encodable(ctx, method, req, res, err)
	}
}

// mcpServer returns an MCP server with this face, and with what the embedder has beside it. ctx ends
// when the server is no longer used.
func (h *Host) mcpServer(ctx context.Context) *mcp.Server {
	srv := h.newServer(ctx, &mcp.ServerOptions{
		Capabilities: h.capabilities(),
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = private },
	})
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		h.innermost = next
		return next
	})
	h.addTo(srv)
	return srv
}

func (h *Host) capabilities() *mcp.ServerCapabilities {
	c := &mcp.ServerCapabilities{Tools: new(mcp.ToolCapabilities)} // AddListed declares changes
	if h.server.opts.Logging {
		//lint:ignore SA1019 it works as long as clients ask for it
		c.Logging = &mcp.LoggingCapabilities{}
	}
	return c
}

// instruct adds the face's instructions to the server's own in the answer to a connecting client.
// They depend on the caller.
func (h *Host) instruct(ctx context.Context, req mcp.Request, res mcp.Result) {
	switch r := res.(type) {
	case *mcp.InitializeResult:
		r.Instructions = h.instructions(ctx, req, r.Instructions)
	case *mcp.DiscoverResult:
		r.Instructions = h.instructions(ctx, req, r.Instructions)
	}
}

// instructTimeout bounds the time for instructions.
const instructTimeout = 5 * time.Second

func (h *Host) instructions(ctx context.Context, req mcp.Request, own string) string {
	line, err := do(ctx, h, req, "instructions", instructTimeout, func(ctx context.Context) (string, error) {
		return paragraphs(h.server.opts.Instructions, h.server.face.Instructions(ctx)), nil
	})
	if err != nil {
		return own // a refused caller learns the reason from the tools
	}
	return paragraphs(own, line)
}

// paragraphs joins two texts. Either may be empty.
func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
