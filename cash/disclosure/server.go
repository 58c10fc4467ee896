package disclosure

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Server offers the functions of a [registry.Source] in two stages. It is safe for concurrent use, and can be served
// through any number of transports at a time. Its methods are those of [serve.Server].
//
// After AddTo, use an HTTP handler with sessions, or [Options.Grants]: a request with neither is refused with
// [SessionRequired]. The server's own Handler gives all clients a session unless there are Grants; newer clients fall
// back to a version with sessions.
type Server struct {
	*serve.Server
	opts     Options
	source   registry.Source // guarded by the pipeline
	pipeline *registry.Pipeline
	sessions sessions
	fetches  *fetches
	briefs   briefs

	mu    sync.Mutex
	noted map[string]bool // omitted functions that were logged
}

// NewServer returns a server of src. It panics if opts are invalid, or if src is a [registry.Registry] with a function
// of this program that this face cannot serve. Such functions from other sources are omitted and logged.
func NewServer(src registry.Source, opts *Options) *Server {
	mistake.Check("disclosure", opts.Check())
	s := &Server{opts: opts.withDefaults(), noted: make(map[string]bool)}
	s.fetches = newFetches(&s.opts)
	p := s.opts.Serve.Pipeline()
	p.ExactKeys = true
	s.pipeline = registry.NewPipeline(src, p)
	mistake.Check("disclosure", s.inspect(src))
	s.source = s.pipeline.Source()
	s.Server = serve.New(face{s}, &mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, &s.opts.Serve)
	return s
}

// inspect checks the functions of a source that can list everything regardless of visibility.
func (s *Server) inspect(src registry.Source) error {
	reg, ok := src.(*registry.Registry)
	if !ok {
		return nil
	}
	names := make(map[string]bool)
	for f := range reg.All() {
		names[f.FlatName()] = true
		if f.FlatName() == envelope && !f.Remote() {
			return fmt.Errorf("function %q: descriptions are answered by name, and this is the name under which errors are", envelope)
		}
		if s.opts.Tool && f.FlatName() == ToolName && !f.Remote() {
			return fmt.Errorf("function %q: with Options.Tool, this is the name of the tool with the descriptions", ToolName)
		}
		s.serves(context.Background(), f)
		s.compare(f)
	}
	if s.opts.Descriptions != nil {
		for _, name := range s.opts.Descriptions.strangers(names) {
			s.opts.Serve.Logger.Warn("a description is of no tool", "file", name+extension)
		}
	}
	return nil
}

// envelope is the member that holds an error. No tool can have this name.
const envelope = "error"

// maxNoted bounds the functions that are logged as omitted.
const maxNoted = 1000

// serves reports whether this face can serve a function. It logs once if not.
func (s *Server) serves(ctx context.Context, f *registry.Function) bool {
	reason := ""
	switch {
	case f.FlatName() == envelope:
		reason = "the name is that of the member under which errors are"
	case s.opts.Tool && f.FlatName() == ToolName:
		reason = "the name is that of the tool with the descriptions"
	case s.opts.Grants != nil && slices.ContainsFunc(f.Params(), func(p registry.Param) bool { return p.Name == grantArgument }):
		reason = "it declares the parameter " + grantArgument + ", which grants are passed by"
	default:
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if name := f.FlatName(); !s.noted[name] && len(s.noted) < maxNoted {
		s.noted[name] = true
		s.opts.Serve.Logger.WarnContext(ctx, "a function is left out", "function", name, "reason", reason)
	}
	return false
}

// find returns the function with a name that the caller in ctx sees.
func (s *Server) find(ctx context.Context, name string) (*registry.Function, error) {
	f, err := registry.FindFlat(ctx, s.source, name)
	if err == nil && !s.serves(ctx, f) {
		return nil, registry.NoFunction("", name)
	}
	return f, err
}

// all returns the functions that the caller in ctx sees, sorted by name.
func (s *Server) all(ctx context.Context) ([]*registry.Function, error) {
	list, err := registry.Flat(ctx, s.source)
	return slices.DeleteFunc(list, func(f *registry.Function) bool { return !s.serves(ctx, f) }), err
}
