package facade

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Server offers the domains of a [registry.Source]. It is safe for concurrent use, and can be served through any
// number of transports at a time. Its methods AddTo, Run, Handler and Shutdown are those of [serve.Server].
type Server struct {
	*serve.Server
	opts     Options
	source   registry.Source // guarded by the pipeline
	builtin  registry.Source // of the built-in domains
	help     *registry.Function
	pipeline *registry.Pipeline
	hides    [2]sync.Once // by built-in domain: logs once that a namespace hides it
}

// NewServer returns a server of src. It panics if opts are invalid.
func NewServer(src registry.Source, opts *Options) *Server {
	mistake.Check("facade", opts.Check())
	s := &Server{opts: opts.withDefaults()}
	p := s.opts.Serve.Pipeline()
	p.ExactKeys, p.Untrimmed = true, s.opts.Untrimmed
	p.Middleware = []registry.Middleware{controlled(p.Middleware)}
	s.pipeline = registry.NewPipeline(src, p)
	s.source, s.builtin = s.pipeline.Source(), s.builtins()
	s.help = registry.Func(help, "List the commands of this domain, or those that fit a query, or describe one with its params.", s.describeCommands,
		registry.ReadOnly, registry.Returns("Commands with their total number, or one command."))
	s.Server = serve.New(face{s}, &mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, &s.opts.Serve)
	return s
}

// A Request asks a domain to run a command.
type Request struct {
	// Cmd is the command, such as create or retail.create. Required.
	Cmd string
	// Detail is the wanted level of detail. Empty is [registry.Standard].
	Detail registry.Detail
	// Params is a JSON object, or a JSON string that spells one. Empty or null is {}. Keys are matched exactly.
	Params json.RawMessage
	// DryRun checks the call without running it; the response's data is a [registry.Plan]. PlanToken is the token from
	// the dry run of this very call; empty is none. Clients can send both only with [control.Plans].
	DryRun    bool
	PlanToken string
}

// Execute runs a command of a domain for the caller in ctx. name is the label of a top-level namespace, such as orders,
// or of a domain that [Options] add. All errors are in the response.
func (s *Server) Execute(ctx context.Context, name string, req *Request) *Response {
	in := newRequest(req)
	find := func(ctx context.Context) (*domain, error) { return s.domain(ctx, name) }
	resp, _ := serve.Direct(ctx, s.Server, "", in.Params, func(ctx context.Context, rec *observe.Record) (*Response, error) {
		resp, err := s.execute(ctx, find, in, &serve.Request{Record: rec})
		if err == nil && resp.Err != nil {
			err = resp.Err // it is in the response too
		}
		return resp, err
	})
	return resp
}
