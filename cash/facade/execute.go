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
)

// An execution is one request to a domain.
type execution struct {
	*Server
	domain  func(context.Context) (*domain, error)
	in      *request
	from    *serve.Request
	call    *registry.Request
	command atomic.Pointer[called] // once it is known: the call's goroutine may be left behind
}

// called is the command of an execution.
type called struct {
	tool     string
	own      bool // of a built-in domain, which calls no function of the source
	name     string
	function *registry.Function
}

// execute answers a request to a domain. The error is [serve.ErrUnknownTool], if
// domain says so; everything else that goes wrong is in the response.
func (s *Server) execute(ctx context.Context, domain func(context.Context) (*domain, error), in *request, from *serve.Request) (*Response, error) {
	x := &execution{Server: s, domain: domain, in: in, from: from}
	x.call = from.Call(in.Params, x.find)
	x.call.Ready, x.call.DryRun, x.call.PlanToken, x.call.Detail = x.ready, in.DryRun, in.PlanToken, in.Detail
	res, err := s.pipeline.Call(ctx, x.call)
	switch {
	case errors.Is(err, serve.ErrUnknownTool):
		return nil, err
	case err != nil:
		return failure(in.echo, x.worded(err)), nil
	}
	return respond(in.echo, res), nil
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
	f, err := d.command(ctx, x.in.Cmd)
	switch {
	case isUnknown(err):
		return nil, d.unknownCommand(ctx, x.in.Cmd)
	case errors.Is(err, registry.Unavailable):
		return nil, d.notNow(err)
	case err != nil:
		return nil, err
	}
	if err := x.in.misplaced(f); err != nil {
		return nil, err
	}
	c := &called{d.tool, d.builtin, commandName(f), f}
	if c.own && f.Path() == executePath {
		if c, err = x.tool(ctx, c); err != nil {
			return nil, err
		}
	}
	x.command.Store(c)
	return c.function, nil
}

// tool turns a call of the command execute of the built-in domain into one of the
// function that it names, so that all that holds for that one does (policy, quota,
// deadline, audit).
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
	return &called{c.tool, false, f.Path(), f}, nil
}

// ownKey marks the context of a command of a built-in domain.
type ownKey struct{}

// ready counts the use of a built-in domain, which nothing else decides about.
func (x *execution) ready(ctx context.Context, _ *registry.Call) (context.Context, error) {
	c := x.command.Load()
	if !c.own {
		return control.Through(ctx, c.tool), nil
	}
	return context.WithValue(ctx, ownKey{}, true), x.opts.Serve.Controls.Quota.Allow(ctx, x.from.Owner(ctx), c.tool)
}

// controlled is the middleware, which does not see the commands of built-in domains.
func controlled(all []registry.Middleware) registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		handler := next
		for _, m := range slices.Backward(all) {
			handler = m(handler)
		}
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if ctx.Value(ownKey{}) != nil {
				return next(ctx, c)
			}
			return handler(ctx, c)
		}
	}
}

// worded is an error in the words of domains.
func (x *execution) worded(err error) error {
	c := x.command.Load()
	if c == nil {
		return err
	}
	said := c.own && c.function.Namespace() == toolsLabel // which of the tools it is about
	if !said && errors.Is(err, registry.Unavailable) {
		err = unavailable("`"+c.function.Path()+"`", err)
	}
	return withParameters(c.name, c.function, err)
}

// named reads the arguments of a command that is about a function: its dotted
// name, and arguments for it.
func (s *Server) named(ctx context.Context, data json.RawMessage) (*registry.Function, json.RawMessage, error) {
	f, err := s.tool(ctx, strictjson.Text(strictjson.Member(data, "name")))
	return f, strictjson.Member(data, "arguments"), err
}
