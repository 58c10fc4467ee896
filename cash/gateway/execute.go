package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
	"github.com/cash-mcp/go-sdk/toolid"
)

// An ExecuteRequest asks to run a function, to read a resource, or to get a prompt.
type ExecuteRequest struct {
	ID   string          // from a card
	Args json.RawMessage // a JSON object; empty or null is {}
	// DryRun asks for the checks that the call would meet, without running it. The result is a
	// report (section 4.5).
	DryRun bool
	// PlanToken is the token that a dry run gave for this call. Empty is none.
	PlanToken string
}

// Execute runs a function for the caller in ctx. The first content of the result is a
// [firewall.Envelope] in JSON. Whole contents other than text follow it. A dry run returns its
// report, and a [Proxy] the result as it is. A failure marked by the function itself is a result
// with IsError. All other failures are an *[Error].
//
// The id of a skill returns its text. There is no dry run of that.
func (s *Server) Execute(ctx context.Context, req *ExecuteRequest) (*registry.Result, error) {
	if req == nil {
		req = new(ExecuteRequest)
	}
	return s.direct(ctx, s.tools, executeName, req)
}

// ReadResource reads a resource. The result is like that of [Server.Execute].
func (s *Server) ReadResource(ctx context.Context, id string) (*registry.Result, error) {
	return s.direct(ctx, s.resources, resourceReadName, &ExecuteRequest{ID: id})
}

// GetPrompt renders a prompt. The result is like that of [Server.Execute].
func (s *Server) GetPrompt(ctx context.Context, id string, args json.RawMessage) (*registry.Result, error) {
	return s.direct(ctx, s.prompts, promptGetName, &ExecuteRequest{ID: id, Args: args})
}

// direct executes without a transport. Its errors are *[Error].
func (s *Server) direct(ctx context.Context, c *catalog, tool string, req *ExecuteRequest) (*registry.Result, error) {
	return serve.Direct(ctx, s.Server, tool, req.Args, func(ctx context.Context, rec *observe.Record) (*registry.Result, error) {
		r, err := s.execute(ctx, c, req, &serve.Request{Record: rec})
		if err != nil {
			return nil, s.asError(err)
		}
		return r, nil
	})
}

// execute is [Server.Execute] for any catalog. from is the request of the tool, or nil.
func (s *Server) execute(ctx context.Context, c *catalog, req *ExecuteRequest, from *serve.Request) (*registry.Result, error) {
	if c == nil {
		return nil, argsInvalid("This server has none of these.")
	}
	if c == s.tools && isSkill(req.ID) {
		r, err := s.executeSkill(ctx, req, from)
		if !errors.Is(err, registry.UnknownSkill) {
			return r, err
		}
	}
	x := &execution{Server: s, catalog: c, req: req, from: from}
	defer x.release()
	asked := from.Call(req.Args, x.find)
	asked.Ready, asked.DryRun, asked.PlanToken = x.ready, req.DryRun, req.PlanToken
	res, err := c.pipeline.Call(ctx, asked)
	if err != nil {
		return nil, x.failure(err)
	}
	return x.result(ctx, res)
}

// An execution is one call of tool_execute or of a tool like it. Its goroutine may be abandoned, so
// it shares its findings through atomic fields.
type execution struct {
	*Server
	catalog *catalog
	req     *ExecuteRequest
	from    *serve.Request

	function atomic.Pointer[registry.Function]
	call     atomic.Pointer[registry.Call]      // nil until its arguments are valid
	room     atomic.Pointer[firewall.Admission] // reserved for its result
}

// find returns the function with the id.
func (x *execution) find(ctx context.Context) (*registry.Function, error) {
	id, err := x.parse(ctx, x.catalog, x.req.ID)
	f, err := x.Server.find(ctx, x.catalog, x.req.ID, id, err)
	if err == nil {
		f, err = f.Complete(ctx)
	}
	if err != nil {
		return nil, err
	}
	if problem := f.Problem(); problem != nil {
		return nil, schemaError(f, problem)
	}
	x.function.Store(f)
	return f, nil
}

// ready reserves room for the result before a function with effects runs ([registry.Request.Ready]).
func (x *execution) ready(ctx context.Context, call *registry.Call) (context.Context, error) {
	x.call.Store(call)
	if x.opts.Mode != Gateway || call.Plan != nil {
		return ctx, nil
	}
	owner := roomOwner(ctx, x.from)
	if call.Function.ReadOnly() {
		x.room.Store(x.opts.Firewall.AdmitReading(owner))
		return ctx, nil
	}
	room, err := x.opts.Firewall.Admit(ctx, owner)
	if err != nil {
		return nil, noRoom(err)
	}
	x.room.Store(room)
	if ctx.Err() != nil { // the caller is gone
		x.release()
	}
	return ctx, nil
}

// roomOwner returns the owner of what the firewall keeps of a request.
func roomOwner(ctx context.Context, from *serve.Request) firewall.Owner {
	return firewall.Owner{ID: from.Owner(ctx), Payer: from.Payer(ctx), Guest: registry.CallerFrom(ctx).Anonymous()}
}

// release frees the room that no result has taken.
func (x *execution) release() {
	if room := x.room.Swap(nil); room != nil {
		room.Release()
	}
}

// failure returns the error of the call.
func (x *execution) failure(err error) error {
	f := x.function.Load()
	switch {
	case f != nil && x.call.Load() == nil:
		return x.withParameters(f, err)
	case f != nil && errors.Is(err, registry.UnknownFunction): // its own server does not know it any more
		gone := *x.worded(err, x.catalog.word)
		gone.Code = x.catalog.unknown
		return &gone
	}
	return x.worded(err, x.catalog.word)
}

// result passes the result of the call through the firewall.
func (x *execution) result(ctx context.Context, res *registry.Result) (*registry.Result, error) {
	call, room := x.call.Load(), x.room.Load()
	switch {
	case call.Plan != nil:
		return x.report(res), nil
	case res.InputRequests != nil:
		return res, nil
	}
	if one, err := x.cards.of(call.Function); x.stable != nil && err == nil {
		x.stable.note(x.from.Owner(ctx), string(x.catalog.kind), one)
	}
	if room == nil {
		return x.redacted(res), nil
	}
	return x.envelop(ctx, x.from, room, res, call.Function.Filters(), x.provenance(call, res)), nil
}

// report returns the report of a dry run, whose text is JSON.
func (s *Server) report(r *registry.Result) *registry.Result {
	if !s.opts.Structured {
		return r
	}
	own := *r
	own.Structured = json.RawMessage(r.Text())
	return &own
}

// provenance returns the facts about a call for its envelope (section 4.4).
func (s *Server) provenance(call *registry.Call, res *registry.Result) map[string]any {
	p := map[string]any{"tool_id": call.Function.Primitive().String()}
	if len(call.Repairs) > 0 {
		p["arg_repairs"] = call.Repairs
	}
	if _, hit := res.Meta[control.MetaCacheHit]; hit && s.opts.Serve.Controls.Cache != nil {
		p["cache_hit"] = true
	}
	if class := safety(call.Function); class != "" {
		p["safety"] = class
	}
	return p
}

// safety returns the declared safety class of a function, or "".
func safety(f *registry.Function) string {
	if class := control.ClassOf(f); class != control.Writes {
		return string(class)
	}
	return ""
}

// envelop returns the result in an envelope. filters are the parameters that narrow it.
func (s *Server) envelop(ctx context.Context, from *serve.Request, room *firewall.Admission, res *registry.Result, filters []string, provenance map[string]any) *registry.Result {
	id, _ := provenance["tool_id"].(string)
	shown := room.Shield(ctx, firewall.Result{
		Content: res.Content, Structured: res.Structured, IsError: res.IsError, Label: id, Filters: filters,
	})
	env := shown.Envelope
	from.Record.Note(func(r *observe.Request) { r.Gated = len(env.Artifacts) > 0 })
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

// redacted returns a result without secrets, for a [Proxy].
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

// maxParameters is the most bytes of a schema in an error. Most schemas are smaller. In [Gateway]
// mode, a caller sees the schema nowhere else before a call.
const maxParameters = 16_000

// withParameters adds the function's parameters to an error of arguments, because its caller has not
// seen them.
func (s *Server) withParameters(f *registry.Function, err error) error {
	e := s.worded(err, func(*registry.Error, registry.Step) string { return "" })
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

// parameters returns a short line for each parameter of a function.
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
		Kind: registry.InvalidSchema, Namespace: f.Namespace(), Name: f.Name(), Err: problem, NotRun: true,
		Message: fmt.Sprintf("The input schema that the server of `%s` gives is in error, so that no arguments can be held to it. The tool was not run.", f.Path()),
		Hint:    "Use another one.",
	}
}

// The reasons in the details of the error of a call that did not run because no room could be
// reserved for its result. The code is [RateLimited]: no upstream has failed.
const (
	storeFull   = "artifact_store_full"
	storeFailed = "artifact_store_failed"
)

// roomAgain is the time to try again, in seconds, if it is not known when there will be room.
const roomAgain = 10

// noRoom is the error for a call that did not run, because its result could not be kept.
func noRoom(err error) *Error {
	reason, message, after := storeFailed, "The store for large results cannot be used now.", float64(roomAgain)
	if errors.Is(err, firewall.ErrFull) {
		reason, message = storeFull, "The store for large results is full."
	}
	var full *firewall.FullError
	if errors.As(err, &full) && full.RetryAfter > 0 {
		after = math.Ceil(full.RetryAfter.Seconds())
	}
	return &Error{
		Code: RateLimited, Retryable: true, Err: err,
		Message: fmt.Sprintf("%s The tool was not run, because its result might be lost. Try again in %.0f s. Tools that only read still run.", message, after),
		Details: map[string]any{"scope": "artifacts", "reason": reason, "retry_after": after},
	}
}

// isSkill reports whether text is the id of a skill.
func isSkill(text string) bool {
	id, err := parseID(text)
	return err == nil && id.Kind == toolid.Skill
}

// executeSkill returns the text of the skill with the id. It needs no pipeline: nothing runs, and
// the text is the operator's own. It counts as a use of tool_execute. The error for an unknown id
// is [registry.UnknownSkill].
func (s *Server) executeSkill(ctx context.Context, req *ExecuteRequest, from *serve.Request) (*registry.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return serve.Apart(ctx, s.opts.Serve.Logger, executeName, func() (*registry.Result, error) {
		id, err := parseID(req.ID)
		if err != nil {
			return nil, err
		}
		sk, err := s.skill(ctx, id)
		if err != nil {
			return nil, err
		}
		return s.readSkill(ctx, sk, req, from)
	})
}

// skill returns the skill with the id.
func (s *Server) skill(ctx context.Context, id toolid.Primitive) (*registry.Skill, error) {
	path, name := place(id)
	for _, at := range []string{path, ""} { // the namespace mcp also holds the root's skills
		if sk, err := s.tools.source.Skill(ctx, at, name); err == nil && sk.ID() == id {
			return sk, nil
		}
	}
	return nil, registry.NoSkill(path, name)
}

func (s *Server) readSkill(ctx context.Context, sk *registry.Skill, req *ExecuteRequest, from *serve.Request) (*registry.Result, error) {
	if req.DryRun {
		return nil, argsInvalid("This is a skill: a text to read, which runs nothing. Leave out dry_run.")
	}
	if err := s.opts.Serve.Controls.Quota.Allow(ctx, from.Owner(ctx), executeName); err != nil {
		return nil, err
	}
	text, err := sk.Render(ctx, orNone(req.Args))
	if err != nil {
		return nil, err
	}
	text = s.spoken(ctx, text)
	if s.opts.Mode == Proxy {
		return registry.TextResult(text), nil
	}
	room := s.opts.Firewall.AdmitReading(roomOwner(ctx, from))
	return s.envelop(ctx, from, room, registry.TextResult(text), nil, map[string]any{"tool_id": sk.ID().String()}), nil
}

// orNone returns nil for the JSON null, which means an omitted argument.
func orNone(data json.RawMessage) json.RawMessage {
	if string(strictjson.Trim(data)) == "null" {
		return nil
	}
	return data
}
