package facade

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Server offers the domains of a [registry.Source]. It is safe for concurrent
// use, and one Server can be served through any number of transports at a time.
type Server struct {
	opts     Options
	log      *slog.Logger
	source   registry.Source // guarded by the pipeline
	builtin  registry.Source // of the built-in domains
	pipeline *registry.Pipeline
	hides    [2]sync.Once // of each built-in domain: that a namespace hides it is logged
	serve    *serve.Server
}

// NewServer returns a server of src. It panics if opts are in error.
func NewServer(src registry.Source, opts *Options) *Server {
	s := &Server{opts: opts.withDefaults()}
	s.log = s.opts.Serve.Logger
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.pipeline = registry.NewPipeline(src, &registry.PipelineOptions{
		Middleware:   []registry.Middleware{controlled(slices.Concat(s.opts.Middleware, s.opts.Controls.Middleware()))},
		Timeout:      s.opts.Timeout,
		MaxArguments: s.opts.MaxArguments,
		Repair:       s.opts.TolerantArgs,
		ExactKeys:    true,
		Logger:       s.opts.Serve.Logger,
	})
	s.source, s.builtin = s.pipeline.Source(), s.builtins()
	s.serve = serve.New(face{s}, &mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, s.opts.Serve)
	return s
}

// A Request asks a domain to run a command.
type Request struct {
	// Cmd is the command, such as create or retail.create. Required.
	Cmd string
	// Detail is how much of the result is wanted. Empty is [registry.Standard].
	Detail registry.Detail
	// Params is a JSON object, or a JSON string that has one in it; empty or
	// null is {}. Keys are matched exactly.
	Params json.RawMessage
	// DryRun asks what the call would meet, without running it: the data of the
	// response is a [registry.Plan]. PlanToken is what a dry run gave for this
	// very call; empty is none. Callers of the tools can pass them with
	// [control.Plans] only.
	DryRun    bool
	PlanToken string
}

// Execute runs a command of a domain for the caller in ctx. name is that of a
// top-level namespace, such as orders, or of what [Options] add. It fails by
// the response only.
func (s *Server) Execute(ctx context.Context, name string, req *Request) *Response {
	in := newRequest(req)
	find := func(ctx context.Context) (*domain, error) { return s.domain(ctx, name) }
	resp, _ := s.execute(ctx, find, in, client{owner: registry.CallerFrom(ctx).Owner()}) // a domain is no tool that is unknown
	return resp
}

// client is who a request comes from.
type client struct {
	owner    string // see registry.Client
	progress func(context.Context, registry.Progress) error
	turn     *registry.Client // nil is nobody that can be turned to
}

func clientOf(req *serve.Request) client {
	return client{owner: req.Client.Owner, progress: req.Progress, turn: req.Client}
}

// AddTo adds the domains to an MCP server of the embedder's own, and the line
// that names them to its instructions.
func (s *Server) AddTo(srv *mcp.Server) { s.serve.AddTo(srv) }

// Run serves one connection until the client has gone or ctx ends; then calls
// in flight may finish for a while ([serve.Options.DrainTimeout]).
func (s *Server) Run(ctx context.Context, transport mcp.Transport) error {
	return s.serve.Run(ctx, transport)
}

// Handler returns the HTTP handler of the MCP endpoint, for clients of both
// protocol generations; see [serve.Server.Handler].
func (s *Server) Handler() http.Handler { return s.serve.Handler() }

// Shutdown refuses further calls, waits for those in flight until ctx ends,
// and cancels them then; see [serve.Server.Shutdown].
func (s *Server) Shutdown(ctx context.Context) error { return s.serve.Shutdown(ctx) }
