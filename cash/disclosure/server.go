package disclosure

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Server offers the functions of a [registry.Source] in two stages. It is safe
// for concurrent use, and one Server can be served through any number of
// transports at a time.
type Server struct {
	opts     Options
	log      *slog.Logger
	source   registry.Source // guarded by the pipeline
	pipeline *registry.Pipeline
	files    *files // nil if there are none
	sessions sessions
	fetches  *fetches
	serve    *serve.Server

	mu    sync.Mutex
	noted map[string]bool // functions that are left out, of which the log knows
}

// NewServer returns a server of src. The error says what is wrong with the
// options, which description file is malformed, or that src, if it is a
// [registry.Registry], has a function that cannot be served this way.
func NewServer(src registry.Source, opts *Options) (*Server, error) {
	s, err := newServer(src, opts)
	if err != nil {
		return nil, fmt.Errorf("disclosure: %w", err)
	}
	return s, nil
}

func newServer(src registry.Source, opts *Options) (*Server, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{opts: o, log: o.Serve.Logger, fetches: newFetches(o.FetchesPerMinute, o.Now), noted: make(map[string]bool)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if o.Descriptions != nil {
		if s.files, err = readFiles(o.Descriptions, s.log); err != nil {
			return nil, err
		}
	}
	if err := s.inspect(src); err != nil {
		return nil, err
	}
	s.pipeline = registry.NewPipeline(src, &registry.PipelineOptions{
		Middleware:   append(slices.Clip(o.Middleware), o.Controls.Middleware()...),
		Timeout:      o.Timeout,
		MaxArguments: o.MaxArguments,
		Repair:       o.TolerantArgs,
		ExactKeys:    true,
		Logger:       o.Serve.Logger,
	})
	s.source = s.pipeline.Source()
	s.serve = serve.New(face{s}, &mcp.Implementation{Name: o.Name, Version: o.Version}, o.Serve)
	return s, nil
}

// inspect looks through a source that can tell all that it has, whoever may see
// it.
func (s *Server) inspect(src registry.Source) error {
	reg, ok := src.(*registry.Registry)
	if !ok {
		return nil
	}
	names := make(map[string]bool)
	for f := range reg.All() {
		names[f.FlatName()] = true
		if f.FlatName() == envelope {
			return fmt.Errorf("function %q: descriptions are answered by name, and this is the name under which errors are", envelope)
		}
		s.serves(context.Background(), f)
	}
	if s.files != nil {
		for _, name := range s.files.strangers(names) {
			s.log.Warn("a description is of no tool", "file", name+extension)
		}
	}
	return nil
}

// envelope is the member under which errors are, which no tool can be called.
const envelope = "error"

// maxNoted bounds the functions that are logged as left out.
const maxNoted = 1000

// serves reports whether a function can be served at all, and logs once if it
// cannot.
func (s *Server) serves(ctx context.Context, f *registry.Function) bool {
	reason := ""
	switch {
	case f.FlatName() == envelope:
		reason = "the name is that of the member under which errors are"
	case s.opts.Grants != nil && slices.ContainsFunc(f.Params(), func(p registry.Param) bool { return p.Name == grantArgument }):
		reason = "it declares the parameter " + grantArgument + ", which grants are passed by"
	default:
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if name := f.FlatName(); !s.noted[name] && len(s.noted) < maxNoted {
		s.noted[name] = true
		s.log.WarnContext(ctx, "a function is left out", "function", name, "reason", reason)
	}
	return false
}

// find returns the function of a name that the caller in ctx sees.
func (s *Server) find(ctx context.Context, name string) (*registry.Function, error) {
	f, err := registry.FindFlat(ctx, s.source, name)
	if err == nil && !s.serves(ctx, f) {
		return nil, registry.NoFunction("", name)
	}
	return f, err
}

// all returns the functions that the caller in ctx sees, in order of their names.
func (s *Server) all(ctx context.Context) ([]*registry.Function, error) {
	list, err := registry.Flat(ctx, s.source)
	return slices.DeleteFunc(list, func(f *registry.Function) bool { return !s.serves(ctx, f) }), err
}

// AddTo adds the tools and the resource to an MCP server of the embedder's own,
// after its own tools. Over HTTP it takes a handler with sessions, or
// [Options.Grants]: what comes without either is refused with the code
// [SessionRequired].
func (s *Server) AddTo(srv *mcp.Server) { s.serve.AddTo(srv) }

// Run serves one connection until the client has gone or ctx ends; then calls
// in flight may finish for a while ([serve.Options.DrainTimeout]).
func (s *Server) Run(ctx context.Context, transport mcp.Transport) error {
	return s.serve.Run(ctx, transport)
}

// Handler returns the HTTP handler of the MCP endpoint; see
// [serve.Server.Handler]. Without [Options.Grants] all clients get a session, and
// newer ones fall back to a version that has them.
func (s *Server) Handler() http.Handler { return s.serve.Handler() }

// Shutdown refuses further calls, waits for those in flight until ctx ends,
// and cancels them then; see [serve.Server.Shutdown].
func (s *Server) Shutdown(ctx context.Context) error { return s.serve.Shutdown(ctx) }
