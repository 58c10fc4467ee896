package cash

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Server serves the three tools over a [registry.Source]. It is safe for concurrent use. One
// Server can be served through any number of transports at a time. Its methods AddTo, Run and
// Shutdown are those of [serve.Server].
type Server struct {
	*serve.Server
	source   registry.Source // the pipeline's guarded source
	opts     Options
	pipeline *registry.Pipeline
	started  time.Time
	edition  edition // the date of the manifest
	instance string  // for registry.MetaInstance
	guide    registry.Source

	revisions revisions
}

// NewServer returns a server of src. It panics if opts are invalid.
func NewServer(src registry.Source, opts *Options) *Server {
	mistake.Check("cash", opts.Check())
	s := &Server{opts: opts.withDefaults(), started: time.Now(), instance: rand.Text()}
	s.pipeline = registry.NewPipeline(src, s.opts.Serve.Pipeline())
	s.source = s.pipeline.Source()
	if r, ok := src.(interface{ Instance() string }); ok {
		s.instance = r.Instance()
	}
	if s.opts.Guide {
		s.guide = newGuide()
	}
	s.Server = serve.New(face{s}, &mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, &s.opts.Serve)
	return s
}

// A CallRequest asks to run a function (RFC 4.1).
type CallRequest struct {
	Namespace string          // dotted path; empty is the root
	Function  string          // required
	Kwargs    json.RawMessage // a JSON object; empty or null is {}
	// SizeLimit overrides the gate's limit for this call, in characters. Nil keeps the server's
	// limit. Zero gates every result that is not empty.
	SizeLimit *int
	// Replay is the value from the notice of a gated result, and asks for that result. Empty is
	// none.
	Replay string
	// DryRun asks for the checks that the call would meet, without running it. The result is a
	// report in JSON. PlanToken is the token of such a report for this call; empty is none. Callers
	// of the tool can pass them only with [control.Plans].
	DryRun    bool
	PlanToken string
}

// A HelpRequest asks for a page of help (RFC 4.2).
type HelpRequest struct {
	Namespace string // dotted path; empty is the root
	Function  string // empty lists the namespace
	// Kwargs are format, examples, params, search, offset and limit. All others are ignored. So are
	// the last three if Function is set, and the last two in a search.
	// A function's page in JSON with params="full" has its JSON Schema as the member schema.
	Kwargs json.RawMessage
}

// A SkillRequest asks for the text of a skill, or for a list of skills (RFC 4.3).
type SkillRequest struct {
	Namespace string          // dotted path; empty is the root
	Name      string          // empty lists the skills
	Kwargs    json.RawMessage // the skill's inputs; offset and limit of a list
}

// Call runs a function for the caller in ctx and gates its result. Two failures are results with
// IsError: a result that is too large ([CodeGated] under [registry.MetaCode]), and one that the
// function itself marks as a failure. All other failures are a *[registry.Error].
func (s *Server) Call(ctx context.Context, req *CallRequest) (*registry.Result, error) {
	if req == nil {
		req = &CallRequest{}
	}
	return serve.Direct(ctx, s.Server, "call", req.Kwargs, func(ctx context.Context, rec *observe.Record) (*registry.Result, error) {
		return s.call(ctx, req, &serve.Request{Record: rec}, nil)
	})
}

// Help returns a page of help for the caller in ctx: the top level, a namespace, a function, or the
// results of a search (at most 10 functions in the namespace and below). A page in Markdown has at
// most [Options.SizeLimit] characters, or 1,000 if that is less, and says how to go on. Its errors
// are *[registry.Error].
func (s *Server) Help(ctx context.Context, req *HelpRequest) (string, error) {
	if req == nil {
		req = &HelpRequest{}
	}
	return serve.Direct(ctx, s.Server, "help", req.Kwargs, func(ctx context.Context, _ *observe.Record) (string, error) {
		return s.helpPage(ctx, req)
	})
}

// helpPage is Help without telling who observes.
func (s *Server) helpPage(ctx context.Context, req *HelpRequest) (string, error) {
	text, err := s.help(ctx, req)
	if err != nil {
		return "", s.withHint(ctx, err)
	}
	if s.opts.HelpText != nil {
		text = s.opts.HelpText(ctx, req, text)
	}
	return text, nil
}

// Skill returns the text of a skill, or a page of the list of skills, for the caller in ctx. Its
// errors are *[registry.Error].
func (s *Server) Skill(ctx context.Context, req *SkillRequest) (string, error) {
	if req == nil {
		req = &SkillRequest{}
	}
	return serve.Direct(ctx, s.Server, "skill", req.Kwargs, func(ctx context.Context, _ *observe.Record) (string, error) {
		return s.skillText(ctx, req)
	})
}

// skillText is Skill without telling who observes.
func (s *Server) skillText(ctx context.Context, req *SkillRequest) (string, error) {
	text, err := s.skill(ctx, req)
	if err != nil {
		return "", s.withHint(ctx, err)
	}
	return text, nil
}

// Handler returns the HTTP handler of the MCP endpoint, for clients of both
// protocol generations; see [serve.Server.Handler].
func (s *Server) Handler() http.Handler { return withHost(s.Server.Handler()) }
