package facade

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// An execution is one request to a domain. It is used by Server.execute.
type execution struct {
	*Server
	domain  func(context.Context) (*domain, error)
	in      *request
	from    *serve.Request
	call    *registry.Request
	command atomic.Pointer[called] // nil until known; atomic, because the call's goroutine may outlive the request
}

// called is the command of an execution.
type called struct {
	*domain
	own      bool // of this package: it calls no function of the source
	name     string
	function *registry.Function
}

// execute answers a request to a domain. The error is [serve.ErrUnknownTool], if domain returns it. All other errors
// are in the response.
func (s *Server) execute(ctx context.Context, domain func(context.Context) (*domain, error), in *request, from *serve.Request) (*Response, error) {
	x := &execution{Server: s, domain: domain, in: in, from: from}
	x.call = from.Call(in.Params, x.find)
	x.call.Ready, x.call.DryRun, x.call.PlanToken, x.call.Detail = x.ready, in.DryRun, in.PlanToken, in.Detail
	res, err := s.pipeline.Call(ctx, x.call)
	var r *Response
	switch {
	case errors.Is(err, serve.ErrUnknownTool):
		return nil, err
	case err != nil:
		r = failure(in.echo, x.worded(err))
	default:
		r = respond(in.echo, res)
	}
	c := x.command.Load()
	r.TextOnly = s.opts.TextOnly || c != nil && c.function.TextOnly()
	return r, nil
}

// find returns the function of the command.
func (x *execution) find(ctx context.Context) (*registry.Function, error) {
	d, err := x.domain(ctx)
	switch {
	case err != nil:
		return nil, err
	case x.in.err != nil:
		return nil, x.in.err
	}
	x.from.Record.Note(func(r *observe.Request) { r.Tool = d.tool })
	f, err := x.Server.command(ctx, d, x.in.Cmd)
	if err != nil {
		return nil, err
	}
	if err := x.in.misplaced(f); err != nil {
		return nil, err
	}
	c := &called{d, d.builtin || f == x.help, commandName(f), f}
	if c.own && f.Path() == executePath {
		if c, err = x.tool(ctx, c); err != nil {
			return nil, err
		}
	}
	x.command.Store(c)
	return c.function, nil
}

// command returns the function of a command of a domain, the command help included.
func (s *Server) command(ctx context.Context, d *domain, cmd string) (*registry.Function, error) {
	if own, err := d.isHelp(ctx, cmd); own && err == nil {
		return s.help, nil
	}
	f, err := d.command(ctx, cmd)
	switch {
	case isUnknown(err):
		return nil, d.unknownCommand(ctx, cmd)
	case errors.Is(err, registry.Unavailable):
		return nil, d.notNow(err)
	}
	return f, err
}

// tool replaces a call of ToolsExecute's command execute by a call of the function that it names. Policy, quota,
// deadline and audit of that function then apply.
func (x *execution) tool(ctx context.Context, c *called) (*called, error) {
	checked, err := x.pipeline.Prepare(ctx, &registry.Request{Find: registry.Found(c.function), Arguments: x.in.Params})
	if err != nil {
		return nil, withParameters(c.name, c.function, err)
	}
	f, arguments, err := x.named(ctx, checked.Arguments)
	if err != nil {
		return nil, err
	}
	x.call.Arguments = arguments
	return &called{c.domain, false, f.Path(), f}, nil
}

// ownKey is the key of the execution in the context of a command of this package.
type ownKey struct{}

// ready counts a command of this package in the quota. The other controls do not see it.
func (x *execution) ready(ctx context.Context, _ *registry.Call) (context.Context, error) {
	c := x.command.Load()
	if !c.own {
		return control.Through(ctx, c.tool), nil
	}
	return context.WithValue(ctx, ownKey{}, x), x.opts.Serve.Controls.Quota.Allow(ctx, x.from.Owner(ctx), c.tool)
}

// controlled returns the middleware, which skips the commands of this package.
func controlled(all []registry.Middleware) registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		handler := next
		for _, m := range slices.Backward(all) {
			handler = m(handler)
		}
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			// A function may pass its context on to a further call.
			if x, ok := ctx.Value(ownKey{}).(*execution); ok && x.command.Load().function == c.Function {
				return next(ctx, c)
			}
			return handler(ctx, c)
		}
	}
}

// worded returns an error in the terms of this face.
func (x *execution) worded(err error) error {
	c := x.command.Load()
	if c == nil {
		return err
	}
	said := c.own && c.function.Namespace() != searchLabel // the error names what is unavailable already
	if !said && errors.Is(err, registry.Unavailable) {
		err = unavailable("`"+c.function.Path()+"`", err)
	}
	return withParameters(c.name, c.function, err)
}

// named parses arguments that name a function: its dotted name, and the arguments for it.
func (s *Server) named(ctx context.Context, data json.RawMessage) (*registry.Function, json.RawMessage, error) {
	f, err := s.tool(ctx, strictjson.Text(strictjson.Member(data, "name")))
	return f, strictjson.Member(data, "arguments"), err
}
