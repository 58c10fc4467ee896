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
)

// A Server offers the three tools over a [registry.Source]. It is safe for
// concurrent use, and one Server can be served through any number of transports
// at a time: its methods AddTo, Run and Shutdown are those of [serve.Server].
type Server struct {
	*serve.Server
	source   registry.Source // guarded by the pipeline
	opts     Options
	pipeline *registry.Pipeline
	started  time.Time
	edition  edition // of the manifest
	instance string  // see registry.MetaInstance
}

// NewServer returns a server of src. It panics if opts are in error.
func NewServer(src registry.Source, opts *Options) *Server {
	mistake.Check("cash", opts.Check())
	s := &Server{opts: opts.withDefaults(), started: time.Now(), instance: rand.Text()}
	if r, ok := src.(interface{ Instance() string }); ok {
		s.instance = r.Instance()
	}
	s.pipeline = registry.NewPipeline(src, s.opts.Serve.Pipeline())
	s.source = s.pipeline.Source()
	s.Server = serve.New(face{s}, &mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, &s.opts.Serve)
	return s
}

// A CallRequest asks for a function to be run (RFC 4.1).
type CallRequest struct {
	Namespace string          // dotted path; empty is the root
	Function  string          // required
	Kwargs    json.RawMessage // a JSON object; empty or null is {}
	// SizeLimit overrides the server's gate threshold for this call, in
	// characters. Nil leaves it; zero gates every result that is not empty.
	SizeLimit *int
	// Replay asks for a gated result by the value that its notice gave. Empty
	// is none.
	Replay string
	// DryRun asks what the call would meet, without running it: the result is a
	// report in JSON. PlanToken is what such a report gave for this very call;
	// empty is none. Callers of the tool can pass them with [control.Plans] only.
	DryRun    bool
	PlanToken string
}

// A HelpRequest asks for a page of help (RFC 4.2).
type HelpRequest struct {
	Namespace string // dotted path; empty is the root
	Function  string // empty lists the namespace
	// Kwargs are format, examples, params and search; anything else is ignored,
	// and so is a search where Function is given.
	Kwargs json.RawMessage
}

// A SkillRequest asks for a skill's text, or for a list of skills (RFC 4.3).
type SkillRequest struct {
	Namespace string          // dotted path; empty is the root
	Name      string          // empty lists what there is
	Kwargs    json.RawMessage // the skill's inputs
}

// Call runs a function for the caller in ctx and gates its result. A result
// that is too large ([CodeGated] under [registry.MetaCode]), and one that the function
// itself marks as a failure, is a result with IsError; everything else that
// goes wrong is a *[registry.Error].
func (s *Server) Call(ctx context.Context, req *CallRequest) (*registry.Result, error) {
	return s.call(ctx, req, new(serve.Request), nil)
}

// Help returns a page of help for the caller in ctx: what is at the top level,
// what is in a namespace, how a function is called, or which functions, at most
// 10 of the namespace and below, fit a search. Its errors are *[registry.Error].
func (s *Server) Help(ctx context.Context, req *HelpRequest) (string, error) {
	if req == nil {
		req = &HelpRequest{}
	}
	text, err := s.help(ctx, req)
	if err != nil {
		return "", s.withHint(ctx, err)
	}
	if s.opts.HelpText != nil {
		text = s.opts.HelpText(ctx, req, text)
	}
	return text, nil
}

// Skill returns the text of a skill, or the list of skills, for the caller in
// ctx. Its errors are *[registry.Error].
func (s *Server) Skill(ctx context.Context, req *SkillRequest) (string, error) {
	if req == nil {
		req = &SkillRequest{}
	}
	text, err := s.skill(ctx, req)
	if err != nil {
		return "", s.withHint(ctx, err)
	}
	return text, nil
}

// Handler returns the HTTP handler of the MCP endpoint, for clients of both
// protocol generations; see [serve.Server.Handler].
func (s *Server) Handler() http.Handler { return withHost(s.Server.Handler()) }
