package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// An ExecuteRequest asks for a function to be run, a resource to be read, or a
// prompt to be got.
type ExecuteRequest struct {
	ID   string          // from a card
	Args json.RawMessage // a JSON object; empty or null is {}
	// DryRun asks what the call would meet, without running anything: the result
	// is a report (section 4.5).
	DryRun bool
	// PlanToken is what a dry run gave for this very call; empty is none.
	PlanToken string
}

// Execute runs a function for the caller in ctx. The first content of the result
// is a [firewall.Envelope] in JSON; what passes whole and is no text stands
// after it. A dry run returns its report, and a [Proxy] the result as it is. What
// the function itself marks as a failure is a result with IsError; everything
// else that goes wrong is an *[Error].
//
// The id of a skill returns its text; there is no dry run of that.
func (s *Server) Execute(ctx context.Context, req *ExecuteRequest) (*registry.Result, error) {
	return s.own(s.execute(ctx, s.tools, req, local(ctx)))
}

// ReadResource reads a resource. The result is as of [Server.Execute].
func (s *Server) ReadResource(ctx context.Context, id string) (*registry.Result, error) {
	return s.own(s.execute(ctx, s.resources, &ExecuteRequest{ID: id}, local(ctx)))
}

// GetPrompt renders a prompt. The result is as of [Server.Execute].
func (s *Server) GetPrompt(ctx context.Context, id string, args json.RawMessage) (*registry.Result, error) {
	return s.own(s.execute(ctx, s.prompts, &ExecuteRequest{ID: id, Args: args}, local(ctx)))
}

// own makes the error one of the gateway's.
func (s *Server) own(r *registry.Result, err error) (*registry.Result, error) {
	if err != nil {
		return nil, s.asError(err)
	}
	return r, nil
}

func (s *Server) execute(ctx context.Context, c *catalog, req *ExecuteRequest, from client) (*registry.Result, error) {
	switch {
	case c == nil:
		return nil, argsInvalid("This server has none of these.")
	case req == nil:
		req = new(ExecuteRequest)
	}
	id, err := s.parse(ctx, c, req.ID)
	if sk := s.skill(ctx, c, id); err == nil && sk != nil {
		return s.readSkill(ctx, sk, req, from)
	}
	f, err := s.find(ctx, c, req.ID, id, err)
	if err != nil {
		return nil, err
	}
	if problem := f.Problem(); problem != nil {
		return nil, schemaError(f, problem)
	}
	call, err := c.pipeline.Prepare(ctx, &registry.Request{
		Resolved: f, Arguments: orNone(req.Args), Progress: from.progress, Client: from.turn,
		DryRun: req.DryRun, PlanToken: req.PlanToken,
	})
	if err != nil {
		return nil, s.withParameters(f, err)
	}
	if call.Plan != nil {
		return s.report(c.pipeline.Run(ctx, call))
	}
	call.Gate = registry.OpenGate()
	return s.run(ctx, c, call, from)
}

// report is the outcome of a dry run, whose text is JSON.
func (s *Server) report(r *registry.Result, err error) (*registry.Result, error) {
	if err != nil || !s.opts.Structured {
		return r, err
	}
	own := *r
	own.Structured = json.RawMessage(r.Text())
	return &own, nil
}

// run runs a prepared call, and puts its result behind the firewall.
func (s *Server) run(ctx context.Context, c *catalog, call *registry.Call, from client) (*registry.Result, error) {
	var room *firewall.Admission
	if s.opts.Mode == Gateway {
		var err error
		if room, err = s.opts.Firewall.Admit(ctx, from.owner); err != nil {
			return nil, noRoom(err)
		}
		defer room.Release()
	}
	res, err := c.pipeline.Run(ctx, call)
	switch {
	case errors.Is(err, registry.UnknownFunction): // its own server does not know it any more
		gone := *s.asError(err)
		gone.Code = c.unknown
		return nil, &gone
	case err != nil:
		return nil, err
	case res.InputRequests != nil:
		return res, nil
	}
	if one, err := s.cards.of(call.Function); s.stable != nil && err == nil {
		s.stable.note(from.owner, string(c.kind), one)
	}
	if room == nil {
		return s.redacted(res), nil
	}
	return s.envelop(ctx, room, res, s.provenance(call, res)), nil
}

func (s *Server) provenance(call *registry.Call, res *registry.Result) map[string]any {
	p := map[string]any{"tool_id": call.Function.Primitive().String()}
	if len(call.Repairs) > 0 {
		p["arg_repairs"] = call.Repairs
	}
	if _, hit := res.Meta[control.MetaCacheHit]; hit && s.opts.Controls.Cache != nil {
		p["cache_hit"] = true
	}
	if class := safety(call.Function); class != "" {
		p["safety"] = class
	}
	return p
}

// safety is the safety class that a function declares; empty if it declares none.
func safety(f *registry.Function) string {
	if class := control.ClassOf(f); class != control.Writes {
		return string(class)
	}
	return ""
}

// envelop is the result in an envelope.
func (s *Server) envelop(ctx context.Context, room *firewall.Admission, res *registry.Result, provenance map[string]any) *registry.Result {
	id, _ := provenance["tool_id"].(string)
	shown := room.Shield(ctx, firewall.Result{Content: res.Content, Structured: res.Structured, IsError: res.IsError, Label: id})
	env := shown.Envelope
	if env.Provenance == nil {
		env.Provenance = make(map[string]any, len(provenance))
	}
	for key, value := range provenance {
		env.Provenance[key] = value
	}
	r := s.result(env)
	r.Content = append(r.Content, shown.Content...)
	r.IsError = res.IsError
	return r
}

// redacted is a result as a [Proxy] hands it on: what it is, without secrets.
func (s *Server) redacted(res *registry.Result) *registry.Result {
	r := *res
	r.Content = make([]mcp.Content, len(res.Content))
	for i, block := range res.Content {
		switch b := block.(type) {
		case *mcp.TextContent:
			text := *b
			text.Text = s.opts.Firewall.Redact(b.Text)
			block = &text
		case *mcp.EmbeddedResource:
			if b.Resource != nil {
				shown, resource := *b, *b.Resource
				resource.Text = s.opts.Firewall.Redact(resource.Text)
				shown.Resource = &resource
				block = &shown
			}
		}
		r.Content[i] = block
	}
	if len(res.Structured) > 0 {
		r.Structured = json.RawMessage(s.opts.Firewall.Redact(string(res.Structured)))
	}
	return &r
}

// maxParameters bounds the schema that an error carries, in bytes. It is more than
// most tools have: in a [Gateway] the schema is seen nowhere else before a call
// fits.
const maxParameters = 16_000

// withParameters adds to an error of arguments what the function takes: its
// caller has never seen that.
func (s *Server) withParameters(f *registry.Function, err error) error {
	e := s.asError(err)
	if e.Code != ArgsInvalid {
		return err
	}
	own := *e
	own.Details = map[string]any{}
	for key, value := range e.Details {
		own.Details[key] = value
	}
	if in := f.InputSchema(); len(in) <= maxParameters {
		own.Details["schema"] = json.RawMessage(clean.JSON(in))
	} else {
		own.Details["parameters"] = parameters(f)
	}
	return &own
}

// parameters are a function's parameters in a few words each.
func parameters(f *registry.Function) []string {
	var list []string
	left := maxParameters
	for _, p := range f.Params() {
		line := clean.Line(p.Name+": "+p.Type, maxParameters)
		if p.Required {
			line += ", required"
		}
		if left -= len(line); left < 0 {
			break
		}
		list = append(list, line)
	}
	return list
}

func schemaError(f *registry.Function, problem error) error {
	return &registry.Error{
		Kind: registry.InvalidSchema, Namespace: f.Namespace(), Name: f.Name, Err: problem, NotRun: true,
		Message: fmt.Sprintf("The input schema that the server of `%s` gives is in error, so that no arguments can be held to it. The tool was not run.", f.Path()),
		Hint:    "Use another one.",
	}
}

// noRoom is the error for a call whose result could not be kept.
func noRoom(err error) *Error {
	e := &Error{
		Code: UpstreamUnavailable, Retryable: true, Err: err,
		Message: "There is no room to keep the result of another call. The tool was not run. Try again later: what was kept expires.",
	}
	var full *firewall.FullError
	if errors.As(err, &full) && full.RetryAfter > 0 {
		e.Details = map[string]any{"retry_after": math.Ceil(full.RetryAfter.Seconds())}
	}
	return e
}

// orNone makes the JSON null, which stands for an argument that is omitted,
// nothing.
func orNone(data json.RawMessage) json.RawMessage {
	if strictjson.KindOf(data) == strictjson.Null {
		return nil
	}
	return data
}

// skill returns the skill that an id stands for; nil if it stands for none, or
// for something else.
func (s *Server) skill(ctx context.Context, c *catalog, id toolid.Primitive) *registry.Skill {
	if c != s.tools || id.Kind != toolid.Skill {
		return nil
	}
	path, name := place(id)
	for _, at := range []string{path, ""} { // the root's own are in the namespace mcp
		if sk, err := c.source.Skill(ctx, at, name); err == nil && sk.ID() == id {
			return sk
		}
	}
	return nil
}

// readSkill returns the text of a skill. It goes through no pipeline: nothing runs,
// and the text is the operator's own. It counts as a use of tool_execute.
func (s *Server) readSkill(ctx context.Context, sk *registry.Skill, req *ExecuteRequest, from client) (*registry.Result, error) {
	if req.DryRun {
		return nil, argsInvalid("This is a skill: a text to read, which runs nothing. Leave out dry_run.")
	}
	if err := s.opts.Controls.Quota.Allow(ctx, from.owner, executeTool); err != nil {
		return nil, err
	}
	text, err := sk.Render(ctx, orNone(req.Args))
	if err != nil {
		return nil, err
	}
	if s.opts.Mode == Proxy {
		return registry.TextResult(text), nil
	}
	room, err := s.opts.Firewall.Admit(ctx, from.owner)
	if err != nil {
		return nil, noRoom(err)
	}
	defer room.Release()
	return s.envelop(ctx, room, registry.TextResult(text), map[string]any{"tool_id": sk.ID().String()}), nil
}
