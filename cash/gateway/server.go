package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Server offers the gateway's tools over a [registry.Source]. It is safe for
// concurrent use, and one Server can be served through any number of transports
// at a time.
type Server struct {
	opts      Options
	log       *slog.Logger
	tools     *catalog
	resources *catalog // nil if there are none
	prompts   *catalog // nil if there are none
	cards     *cards
	stable    *scopes // nil unless Options.CacheStable
	serve     *serve.Server
}

// catalog is what there is of one kind.
type catalog struct {
	kind     toolid.Kind
	source   registry.Source // guarded by the pipeline
	raw      registry.Source
	pipeline *registry.Pipeline
	unknown  Code // of an id that is not there
}

// NewServer returns a server of src. It panics if opts are in error.
func NewServer(src registry.Source, opts *Options) *Server {
	s := &Server{opts: opts.withDefaults()}
	s.cards = newCards(s.opts.Counter)
	s.log = s.opts.Serve.Logger
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.opts.CacheStable {
		s.stable = newScopes()
	}
	s.tools = s.newCatalog(toolid.Tool, src, HydrateFailed)
	if s.opts.Resources != nil {
		s.resources = s.newCatalog(toolid.Resource, s.opts.Resources, ResourceNotFound)
	}
	if s.opts.Prompts != nil {
		s.prompts = s.newCatalog(toolid.Prompt, s.opts.Prompts, PromptNotFound)
	}
	s.serve = serve.New(face{s}, &mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, s.opts.Serve)
	return s
}

func (s *Server) newCatalog(kind toolid.Kind, src registry.Source, unknown Code) *catalog {
	p := registry.NewPipeline(src, &registry.PipelineOptions{
		Middleware:   append(slices.Clip(s.opts.Middleware), s.opts.Controls.Middleware()...),
		Timeout:      s.opts.Timeout,
		MaxArguments: s.opts.MaxArguments,
		Repair:       s.opts.TolerantArgs,
		ExactKeys:    true,
		Logger:       s.opts.Serve.Logger,
	})
	return &catalog{kind: kind, source: p.Source(), raw: src, pipeline: p, unknown: unknown}
}

// catalogs are those that there are.
func (s *Server) catalogs() []*catalog {
	return slices.DeleteFunc([]*catalog{s.tools, s.resources, s.prompts}, func(c *catalog) bool { return c == nil })
}

// client is who a request of the server comes from.
type client struct {
	owner    string // see registry.Client
	progress func(context.Context, registry.Progress) error
	turn     *registry.Client // nil is nobody that can be turned to
}

func clientOf(req *serve.Request) client {
	return client{owner: req.Client.Owner, progress: req.Progress, turn: req.Client}
}

// local is a client without a transport: the caller in ctx.
func local(ctx context.Context) client { return client{owner: registry.CallerFrom(ctx).Owner()} }

// result is a result whose text is v in JSON, an object.
func (s *Server) result(v any) *registry.Result {
	data := asJSON(v)
	r := registry.TextResult(string(data))
	if s.opts.Structured {
		r.Structured = data
	}
	return r
}

// asJSON leaves '<', '>' and '&' as they are, which costs fewer tokens.
func asJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // something of an embedder's, such as the details of an error
		return asJSON(&Error{Code: UpstreamError, Message: "The answer has no JSON form."})
	}
	return bytes.TrimSpace(b.Bytes())
}

// AddTo adds the gateway's tools to an MCP server of the embedder's own, and the
// line that names what is behind them to its instructions.
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
