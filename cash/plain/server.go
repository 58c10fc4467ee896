package plain

import (
	"context"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Server offers the functions of a [registry.Source] as tools. It is safe for
// concurrent use, and one Server can be served through any number of transports
// at a time.
type Server struct {
	opts     Options
	source   registry.Source // guarded by the pipeline
	pipeline *registry.Pipeline
	serve    *serve.Server
}

// NewServer returns a server of src.
func NewServer(src registry.Source, opts *Options) *Server {
	s := &Server{opts: opts.withDefaults()}
	s.pipeline = registry.NewPipeline(src, &registry.PipelineOptions{
		Middleware:   append(slices.Clip(s.opts.Middleware), s.opts.Controls.Middleware()...),
		Timeout:      s.opts.Timeout,
		MaxArguments: s.opts.MaxArguments,
		Repair:       s.opts.TolerantArgs,
		ExactKeys:    true,
		Logger:       s.opts.Serve.Logger,
	})
	s.source = s.pipeline.Source()
	s.serve = serve.New(face{s}, &mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, s.opts.Serve)
	return s
}

// AddTo adds the functions to an MCP server of the embedder's own, after its own
// tools.
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
