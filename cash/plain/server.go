package plain

import (
	"cmp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version identify the server to clients. Empty is "plain" and "0.0.0".
	Name, Version string
	// Serve holds the options common to all faces.
	Serve serve.Options
	// TextOnly lists no output schemas and sends results as text alone, because some clients show both
	// forms of a result to the model. False sends structured content too, unless the function is
	// [registry.TextOnly].
	TextOnly bool
}

// A Server serves the functions of a [registry.Source] as tools. It is safe for concurrent use. One
// Server can be served through any number of transports at a time. Its methods are those of
// [serve.Server].
type Server struct {
	*serve.Server
	opts     Options
	source   registry.Source // the pipeline's guarded source
	pipeline *registry.Pipeline
}

// NewServer returns a server of src. It panics if opts are invalid.
func NewServer(src registry.Source, opts *Options) *Server {
	var o Options
	if opts != nil {
		o = *opts
	}
	mistake.Check("plain", o.Serve.Check())
	o.Serve = o.Serve.WithDefaults()
	p := o.Serve.Pipeline()
	p.ExactKeys = true
	s := &Server{opts: o, pipeline: registry.NewPipeline(src, p)}
	s.source = s.pipeline.Source()
	s.Server = serve.New(face{s}, &mcp.Implementation{Name: cmp.Or(o.Name, "plain"), Version: o.Version}, &o.Serve)
	return s
}
