package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Server serves the gateway's tools over a [registry.Source]. It is safe for concurrent use. One
// Server can be served through any number of transports at a time. Its methods AddTo, Run, Handler
// and Shutdown are those of [serve.Server].
type Server struct {
	*serve.Server
	opts      Options
	tools     *catalog
	resources *catalog // nil if there are none
	prompts   *catalog // nil if there are none
	cards     *cards
	stable    *scopes // nil unless Options.CacheStable
}

// catalog holds the tools, the resources or the prompts of a server.
type catalog struct {
	kind     toolid.Kind
	source   registry.Source // the pipeline's guarded source
	raw      registry.Source
	pipeline *registry.Pipeline
	unknown  Code   // the code of an unknown id
	browser  string // the tool that finds its ids; empty if tools/list has them
}

// NewServer returns a server of src. It panics if opts are invalid.
func NewServer(src registry.Source, opts *Options) *Server {
	mistake.Check("gateway", opts.Check())
	s := &Server{opts: opts.withDefaults()}
	s.cards = newCards(s.opts.Counter)
	if s.opts.CacheStable {
		s.stable = newScopes()
	}
	s.tools = s.newCatalog(toolid.Tool, src, HydrateFailed)
	if s.opts.Mode == Proxy {
		s.tools.browser = ""
	}
	if s.opts.Resources != nil {
		s.resources = s.newCatalog(toolid.Resource, s.opts.Resources, ResourceNotFound)
	}
	if s.opts.Prompts != nil {
		s.prompts = s.newCatalog(toolid.Prompt, s.opts.Prompts, PromptNotFound)
	}
	s.Server = serve.New(face{s}, &mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, &s.opts.Serve)
	return s
}

func (s *Server) newCatalog(kind toolid.Kind, src registry.Source, unknown Code) *catalog {
	o := s.opts.Serve.Pipeline()
	o.ExactKeys = true
	p := registry.NewPipeline(src, o)
	return &catalog{kind: kind, source: p.Source(), raw: src, pipeline: p, unknown: unknown, browser: string(kind) + "_browse"}
}

// enter admits a request ([serve.Options.Limiter]), unless it is part of a call.
func (s *Server) enter(ctx context.Context, from *serve.Request) (*registry.Admission, error) {
	admitted, err := s.opts.Serve.Limiter.Enter(ctx, from.Payer(ctx))
	if err != nil {
		return nil, s.asError(err)
	}
	return admitted, nil
}

// catalogs returns the catalogs that are not nil.
func (s *Server) catalogs() []*catalog {
	return slices.DeleteFunc([]*catalog{s.tools, s.resources, s.prompts}, func(c *catalog) bool { return c == nil })
}

// result returns a result with the text of v in JSON, an object.
func (s *Server) result(v any) *registry.Result {
	data := asJSON(v)
	r := registry.TextResult(string(data))
	if s.opts.Structured {
		r.Structured = data
	}
	return r
}

// asJSON returns an answer as JSON, or an error if it has no JSON form.
func asJSON(v any) json.RawMessage {
	data, err := strictjson.Marshal(v)
	if err != nil { // an embedder's value, such as the details of an error, may have none
		return asJSON(&Error{Code: UpstreamError, Message: "The answer has no JSON form."})
	}
	return data
}
