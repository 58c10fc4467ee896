package facade

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// lookTimeout is how long it may take to find a command and to check its
// arguments. That comes from memory, but visibility rules of the embedder have a
// say. Functions have deadlines of their own.
const lookTimeout = 30 * time.Second

// prepared is a command that is ready to run.
type prepared struct {
	tool     string
	own      bool // a command of a built-in domain's own, which calls no function of the source
	name     string
	pipeline *registry.Pipeline
	call     *registry.Call
}

// execute answers a request to the domain that find returns. The error is
// [serve.ErrUnknownTool], if find says so; everything else that goes wrong is in
// the response.
func (s *Server) execute(ctx context.Context, find func(context.Context) (*domain, error), in *request, from client) (*Response, error) {
	look, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	p, err := serve.Apart(look, s.log, "command", func() (*prepared, error) {
		d, err := find(look)
		if err != nil {
			return nil, err
		}
		return s.prepare(look, d, in, from)
	})
	switch {
	case errors.Is(err, serve.ErrUnknownTool):
		return nil, err
	case err != nil:
		return failure(in.echo, err), nil
	}
	return s.run(ctx, p, in, from), nil
}

// prepare finds a command and checks its arguments.
func (s *Server) prepare(ctx context.Context, d *domain, in *request, from client) (*prepared, error) {
	if in.err != nil {
		return nil, in.err
	}
	f, err := d.command(ctx, in.Cmd)
	switch {
	case isUnknown(err):
		return nil, d.unknownCommand(ctx, in.Cmd)
	case errors.Is(err, registry.Unavailable):
		return nil, d.notNow(err)
	case err != nil:
		return nil, err
	}
	if err := in.misplaced(f); err != nil {
		return nil, err
	}
	p := &prepared{tool: d.tool, own: d.builtin, name: commandName(f), pipeline: d.pipeline}
	if err := p.prepare(ctx, f, in.Params, in, from); err != nil {
		return nil, err
	}
	if d.builtin && f.Path() == executePath {
		return s.prepareTool(ctx, p, in, from)
	}
	return p, nil
}

func (p *prepared) prepare(ctx context.Context, f *registry.Function, params json.RawMessage, in *request, from client) (err error) {
	p.call, err = p.pipeline.Prepare(ctx, &registry.Request{
		Resolved: f, Arguments: params, Progress: from.progress, Client: from.turn,
		DryRun: in.DryRun, PlanToken: in.PlanToken, Detail: in.Detail,
	})
	if err != nil {
		return withParameters(p.name, f, err)
	}
	p.call.Gate = registry.OpenGate()
	return nil
}

// prepareTool turns a call of the command execute of the built-in domain into
// one of the function that it names, so that all that holds for that one does
// (policy, quota, deadline, audit).
func (s *Server) prepareTool(ctx context.Context, p *prepared, in *request, from client) (*prepared, error) {
	f, params, err := s.named(ctx, p.call.Arguments)
	if err != nil {
		return nil, err
	}
	p = &prepared{tool: p.tool, name: f.Path(), pipeline: s.pipeline}
	return p, p.prepare(ctx, f, params, in, from)
}

func (s *Server) run(ctx context.Context, p *prepared, in *request, from client) *Response {
	if p.own {
		if err := s.opts.Controls.Quota.Allow(ctx, from.owner, p.tool); err != nil {
			return failure(in.echo, err)
		}
	} else {
		ctx = control.Through(ctx, p.tool)
	}
	res, err := p.pipeline.Run(ctx, p.call)
	if err != nil {
		said := p.own && p.call.Function.Namespace() == toolsLabel // which of the tools it is about
		if !said && errors.Is(err, registry.Unavailable) {
			err = unavailable("`"+p.call.Function.Path()+"`", err)
		}
		return failure(in.echo, withParameters(p.name, p.call.Function, err))
	}
	return respond(in.echo, res)
}

// named reads the arguments of a command that is about a function: its dotted
// name, and arguments for it.
func (s *Server) named(ctx context.Context, data json.RawMessage) (*registry.Function, json.RawMessage, error) {
	var name string
	var arguments json.RawMessage
	for key, value := range strictjson.Members(data) {
		switch key {
		case "name":
			name = strictjson.Text(value)
		case "arguments":
			arguments = value
		}
	}
	f, err := s.tool(ctx, name)
	return f, arguments, err
}
