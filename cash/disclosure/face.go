package disclosure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// open is the schema of every tool in tools/list (section 3.1).
var open = json.RawMessage(`{"type":"object","additionalProperties":true}`)

// face is the [serve.Face] of a Server.
type face struct{ *Server }

// Add implements [serve.Face].
func (f face) Add(srv *mcp.Server, h *serve.Host) {
	h.AddListed(srv, &serve.Listed{List: f.list, Call: f.call, Render: render})
	f.addResource(srv, h)
}

// maxIndex bounds the line of top-level names, in characters.
const maxIndex = 300

// Changed implements [serve.Changing].
func (f face) Changed() <-chan struct{} { return registry.Changed(f.pipeline.Source()) }

// Skills implements [serve.Skilled].
func (f face) Skills() registry.Source { return f.source }

// Instructions implements [serve.Face].
func (f face) Instructions(ctx context.Context) string {
	parts := []string{strings.ReplaceAll(SystemPrompt, DefaultURI, f.opts.URI) + f.hints()}
	if names := f.top(ctx); len(names) > 0 {
		parts = append(parts, "The tools are about: "+clean.List(names, maxIndex)+".")
	}
	return strings.Join(parts, "\n\n")
}

// hints returns the sentences about options.
func (s *Server) hints() string {
	text := ""
	if s.opts.Tool {
		text += " " + toolHint
	}
	if s.opts.Grants != nil {
		text += " " + grantHint
	}
	return text
}

// top returns the top-level names that the caller sees.
func (f face) top(ctx context.Context) []string {
	l, err := f.source.List(ctx, "")
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range l.Namespaces {
		if c.HasFunctions {
			names = append(names, c.Name)
		}
	}
	for _, fn := range l.Functions {
		if f.serves(ctx, fn) {
			names = append(names, fn.Name())
		}
	}
	return names
}

// list returns the visible functions as tools of the first stage.
func (f face) list(ctx context.Context, _ *mcp.ListToolsRequest) (serve.ToolList, error) {
	functions, err := f.all(ctx)
	texts := f.briefs.texts(functions)
	return f.withTool(serve.FlatTools(functions, func(fn *registry.Function) *mcp.Tool {
		return &mcp.Tool{Description: texts[fn], InputSchema: open}
	})), err
}

// call runs the function behind a tool. It checks in this order that the caller sees it, has fetched it, and may run it
// (section 5.3).
func (f face) call(ctx context.Context, name string, req *serve.Request) (*registry.Result, error) {
	if f.opts.Tool && name == ToolName {
		return f.describeTools(ctx, req)
	}
	asked := req.Call(nil, nil)
	asked.Find = func(ctx context.Context) (fn *registry.Function, err error) {
		if fn, err = serve.FindFlat(ctx, f.source, name); err != nil {
			return nil, err
		}
		if !f.serves(ctx, fn) {
			return nil, serve.ErrUnknownTool
		}
		if asked.Arguments, err = f.authorise(ctx, fn, req); err != nil {
			asked.Record.Note(func(r *observe.Request) { r.Function = fn.Path() }) // the pipeline sees no function
			return nil, err
		}
		if problem := fn.Problem(); problem != nil {
			return nil, noSchema(name, problem)
		}
		return fn, nil
	}
	r, err := f.pipeline.Call(ctx, asked)
	switch {
	case errors.Is(err, serve.ErrUnknownTool):
		return nil, err
	case err != nil:
		return nil, f.withURI(name, err)
	}
	return r, nil
}

// authorise returns the arguments of a call without the grant, or the error of an unauthorised call. A session has its
// own memory: a grant counts only where there is none (section 5.1).
func (s *Server) authorise(ctx context.Context, f *registry.Function, req *serve.Request) (json.RawMessage, error) {
	name, definition := f.FlatName(), s.definition(f)
	arguments, grant := req.Arguments, ""
	if s.opts.Grants != nil {
		arguments, grant = takeGrant(arguments, s.opts.Serve.Repair)
	}
	switch {
	case req.Session != nil:
		if s.sessions.authorised(req.Session, name, definition) {
			return arguments, nil
		}
	case s.opts.Grants == nil:
		return nil, sessionRequired()
	case s.opts.Grants.accepts(ctx, s.opts.Now(), grant, name, definition):
		return arguments, nil
	}
	return nil, s.required(name)
}

// definition returns the hash that an authorisation is bound to, besides the name.
func (s *Server) definition(f *registry.Function) string {
	if s.opts.Renew {
		return f.Definition()
	}
	return ""
}

// withURI adds the URI of the schema to an error about arguments.
func (s *Server) withURI(tool string, err error) error {
	f := failureOf(err)
	if f.Code == Code(registry.InvalidArguments) {
		f.ResourceURI = s.uriOf(tool)
	}
	return f
}

func noSchema(tool string, problem error) error {
	return &registry.Error{
		Kind: registry.InvalidSchema, Err: problem, NotRun: true,
		Message: fmt.Sprintf("The input schema that the server of '%s' gives is in error, so that no arguments can be held to it. The tool was not run.", tool),
		Hint:    "Use another one.",
	}
}
