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
	// Name and Version are what the server calls itself. Empty is "plain" and
	// "0.0.0".
	Name, Version string
	// Serve is what all faces have in common.
	Serve serve.Options
}

// A Server offers the functions of a [registry.Source] as tools. It is safe for
// concurrent use, and one Server can be served through any number of transports
// at a time: its methods are those of [serve.Server].
type Server struct {
	*serve.Server
	source   registry.Source // guarded by the pipeline
	pipeline *registry.Pipeline
}

// NewServer returns a server of src. It panics if opts are in error.
func NewServer(src registry.Source, opts *Options) *Server {
	var o Options
	if opts != nil {
		o = *opts
	}
	mistake.Check("plain", o.Serve.Check())
	o.Serve = o.Serve.WithDefaults()
	p := o.Serve.Pipeline()
	p.ExactKeys = true
	s := &Server{pipeline: registry.NewPipeline(src, p)}
	s.source = s.pipeline.Source()
	s.Server = serve.New(face{s}, &mcp.Implementation{Name: cmp.Or(o.Name, "plain"), Version: o.Version}, &o.Serve)
	return s
}
