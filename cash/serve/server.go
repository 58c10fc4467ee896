package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Face is a set of tools over a registry: what it adds to an MCP server.
type Face interface {
	// Add adds the face's tools to srv, wrapped by s.
	Add(srv *mcp.Server, s *Server)
	// Instructions returns the line or two that tell a model what is behind the
	// tools, for the caller in ctx. Empty adds nothing.
	Instructions(ctx context.Context) string
	// MaxArguments is the most bytes of arguments that the tools take. Zero is
	// [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments() int
}

// A Server serves a [Face]. It is safe for concurrent use.
type Server struct {
	face   Face
	impl   *mcp.Implementation
	opts   Options
	conn   string   // id of the one connection that it serves; empty for many
	drain  *drain   // all calls of the server
	drains []*drain // those that a call enters: the server's, and its connection's
	closed chan struct{}
	web    *web

	changes *changes // nil if the tools never change
}

// New returns a server of face that presents itself as impl.
func New(face Face, impl *mcp.Implementation, opts *Options) *Server {
	all := new(drain)
	s := &Server{
		face: face, impl: impl, opts: opts.withDefaults(face),
		drain: all, drains: []*drain{all}, closed: make(chan struct{}), web: new(web),
	}
	if c, ok := face.(Changing); ok && c.Changed() != nil {
		s.changes = &changes{face: c, log: s.opts.Logger, watches: make(map[any]*watch)}
	}
	return s
}

// A Request is a call of one of a face's tools.
type Request struct {
	// Arguments is what the client sent: any JSON, or nothing.
	Arguments json.RawMessage
	// Session is that of the request, if it lasts; see [Session].
	Session *mcp.ServerSession
	// Progress delivers reports to the client. Nil if it did not ask for them.
	Progress func(context.Context, registry.Progress) error
	// Client is the client, as far as a call may turn to it, and whose the call is.
	Client *registry.Client
}

// A ToolFunc is a tool of a face. The context carries the caller.
type ToolFunc func(context.Context, *Request) (*registry.Result, error)

// Tool makes an SDK handler of f: it decides who the caller is, refuses calls
// while the server stops, recovers from panics, answers when the request is
// cancelled or the timeout is over whatever f does, and lets render make a
// result of every error. With a timeout of zero f has deadlines of its own and
// is trusted to end with its context.
func (s *Server) Tool(f ToolFunc, timeout time.Duration, render func(error) *registry.Result) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := s.run(ctx, f, timeout, req)
		if err != nil {
			r = render(err)
		}
		return toolResult(r, req), nil
	}
}

func (s *Server) run(ctx context.Context, f ToolFunc, timeout time.Duration, req *mcp.CallToolRequest) (*registry.Result, error) {
	ctx, call, err := enter(ctx, s.drains)
	if err != nil {
		return nil, err
	}
	defer call.leave()
	if timeout == 0 {
		return s.answer(ctx, f, req)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return Apart(ctx, s.opts.Logger, req.Params.Name, func() (*registry.Result, error) {
		return s.answer(ctx, f, req)
	})
}

// answer runs f for the caller of the request.
func (s *Server) answer(ctx context.Context, f ToolFunc, req *mcp.CallToolRequest) (r *registry.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			logPanic(ctx, s.opts.Logger, req.Params.Name, v)
			r, err = nil, errPanic
		}
	}()
	if ctx, err = s.Identify(ctx, req); err != nil {
		return nil, err
	}
	ctx = registry.WithVia(ctx, via(req))
	return f(ctx, &Request{
		Arguments: req.Params.Arguments,
		Session:   Session(req),
		Progress:  progress(req),
		Client:    client(ctx, req, s.connection(req)),
	})
}

// grace is how long something may take to notice that its context has ended
// before it is left behind.
const grace = 100 * time.Millisecond

// Apart runs f, which leads to the embedder's code, as [apart.Do] does. Its errors
// are *[registry.Error] where they are not those of f: of kind [registry.Internal]
// after a panic, which log gets, and of another soon after ctx has ended.
func Apart[T any](ctx context.Context, log *slog.Logger, what string, f func() (T, error)) (T, error) {
	value, err := apart.Do(ctx, grace, func(*apart.Task) (T, error) { return f() }, nil)
	var crash *apart.Crash
	switch {
	case errors.As(err, &crash):
		logCrash(ctx, log, what, crash)
		err = errPanic
	case errors.Is(err, apart.ErrLeft):
		err = ended(ctx)
	}
	return value, err
}

// ended is the error for a request whose context has ended.
func ended(ctx context.Context) error {
	var e *registry.Error
	if errors.As(context.Cause(ctx), &e) && e != nil {
		return e
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &registry.Error{Kind: registry.TimedOut, Message: "The server did not answer in time.", Err: ctx.Err()}
	}
	return &registry.Error{Kind: registry.Canceled, Message: "The request was cancelled.", Err: ctx.Err()}
}

// progress returns nil unless the client wants to be told.
func progress(req *mcp.CallToolRequest) func(context.Context, registry.Progress) error {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	return func(ctx context.Context, p registry.Progress) error {
		return req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message,
		})
	}
}

// objectsOnly is the last protocol version whose structured content is always
// an object.
const objectsOnly = "2025-11-25"

// toolResult is r in the SDK's form. The SDK writes into the metadata, and
// results may be shared, so it gets a copy of that.
func toolResult(r *registry.Result, req *mcp.CallToolRequest) *mcp.CallToolResult {
	t := &mcp.CallToolResult{
		Content: r.Content, IsError: r.IsError, Meta: maps.Clone(r.Meta),
		InputRequests: r.InputRequests, RequestState: r.RequestState,
	}
	if s := r.Structured; len(s) > 0 && (s[0] == '{' || req.ProtocolVersion() > objectsOnly) {
		t.StructuredContent = s
	}
	return t
}

var errPanic = &registry.Error{Kind: registry.Internal, Message: "The server failed unexpectedly and goes on. The same request is likely to fail again."}

// logCrash logs where something panicked.
func logCrash(ctx context.Context, log *slog.Logger, what string, crash *apart.Crash) {
	defer func() { _ = recover() }() // a logger may panic too
	log.ErrorContext(ctx, "request panicked", "request", what, "panic", crash.Reason, "stack", crash.Stack)
}

// logPanic logs the type of what was panicked with and the stack, but not the
// value, which may hold anything.
func logPanic(ctx context.Context, log *slog.Logger, what string, v any) {
	defer func() { _ = recover() }() // a logger may panic too
	log.ErrorContext(ctx, "request panicked", "request", what, "panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
}

// AddTo adds the face to an MCP server of the embedder's own, which from then
// on also survives panics in its other handlers. Callers are identified as
// elsewhere; over HTTP, wrap the SDK's handler with [CarryCaller] if they are in
// the context of the request.
func (s *Server) AddTo(srv *mcp.Server) {
	s.face.Add(srv, s)
	srv.AddReceivingMiddleware(s.recover, encodable(s.opts.Logger), s.instruct)
}

// newMCPServer returns an MCP server that has nothing but the face.
func (s *Server) newMCPServer() *mcp.Server {
	srv := mcp.NewServer(s.impl, &mcp.ServerOptions{
		Capabilities: s.capabilities(),
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = private },
	})
	s.AddTo(srv)
	return srv
}

func (s *Server) capabilities() *mcp.ServerCapabilities {
	c := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: s.changes != nil}}
	if s.opts.Logging {
		//lint:ignore SA1019 it works as long as clients ask for it
		c.Logging = &mcp.LoggingCapabilities{}
	}
	return c
}

// instruct adds the face's instructions to the server's own when a client
// connects: they depend on who it is.
func (s *Server) instruct(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		switch r := res.(type) {
		case *mcp.InitializeResult:
			r.Instructions = s.instructions(ctx, req, r.Instructions)
		case *mcp.DiscoverResult:
			r.Instructions = s.instructions(ctx, req, r.Instructions)
		}
		return res, nil
	}
}

// instructTimeout is how long a client waits for its instructions at most.
const instructTimeout = 5 * time.Second

func (s *Server) instructions(ctx context.Context, req mcp.Request, own string) string {
	line, err := Do(ctx, s, req, "instructions", instructTimeout, func(ctx context.Context) (string, error) {
		return s.face.Instructions(ctx), nil
	})
	if err != nil {
		return own // who is refused is told so by the tools
	}
	if own == "" || line == "" {
		return own + line
	}
	return own + "\n\n" + line
}

// recover keeps a panic in any handler from ending the process.
func (s *Server) recover(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				logPanic(ctx, s.opts.Logger, method, v)
				err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		return next(ctx, method, req)
	}
}
