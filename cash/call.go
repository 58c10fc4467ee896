package cash

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// call runs a function for the request from. direct are arguments of the tool that
// it does not name.
func (s *Server) call(ctx context.Context, req *CallRequest, from *serve.Request, direct []member) (*registry.Result, error) {
	if req == nil {
		req = &CallRequest{}
	}
	if req.Function == "" {
		return nil, s.withHint(ctx, missingFunction(req.Namespace))
	}
	var gated atomic.Pointer[gating] // the call's goroutine may be left behind
	res, err := s.pipeline.Call(ctx, &registry.Request{
		Find: func(ctx context.Context) (*registry.Function, error) { return s.called(ctx, req, direct) },
		Ready: func(ctx context.Context, c *registry.Call) (context.Context, error) {
			plan(c)
			g, err := s.newGating(c, req)
			if err != nil {
				return nil, err
			}
			gated.Store(g)
			return g.context(ctx), nil
		},
		Arguments: req.Kwargs, Reserved: s.reserved(), Progress: from.Progress, Client: from.Client,
		DryRun: req.DryRun, PlanToken: req.PlanToken,
	})
	g := gated.Load()
	switch {
	case err == nil:
		return g.deliver(ctx, res), nil
	case g != nil:
		if over := g.gateError(ctx, registry.AsError(err)); over != nil {
			return over, nil
		}
	}
	return nil, s.hinted(ctx, err)
}

// called looks up the function of a call, and refuses arguments beside kwargs that
// would be ignored.
func (s *Server) called(ctx context.Context, req *CallRequest, direct []member) (*registry.Function, error) {
	f, err := s.source.Function(ctx, req.Namespace, req.Function)
	if err != nil {
		return nil, s.withHint(ctx, err)
	}
	if err := beside(f, direct); err != nil {
		return nil, err
	}
	return f, nil
}

// reserved are the arguments that mean something to the face.
func (s *Server) reserved() []registry.Reserved {
	if s.opts.Serve.Controls.Plans != nil {
		return planned
	}
	return reserved
}

// plan heeds what stood among the function's arguments for a dry run.
func plan(c *registry.Call) {
	if len(c.Reserved) < len(planned) {
		return
	}
	if string(c.Reserved[inDryRun]) == "true" && c.Plan == nil {
		c.Plan = registry.NewPlan(c.Function)
	}
	if token := c.Reserved[inPlanToken]; token != nil && c.PlanToken == "" {
		c.PlanToken = strictjson.Text(token)
	}
}

// streamed tells a server that mounts this one not to gate the result.
func streamed(r *registry.Result) *registry.Result {
	marked := *r
	marked.Meta = map[string]any{registry.MetaStreaming: true}
	maps.Copy(marked.Meta, r.Meta)
	return &marked
}

func missingFunction(namespace string) error {
	if _, ok := registry.CanonicalPath(namespace); !ok {
		namespace = ""
	}
	return &registry.Error{
		Kind: registry.InvalidArguments, Message: "The argument `function` is missing.",
		Hint: fmt.Sprintf("Use `%s` to see available functions.", helpCall(namespace, "")),
	}
}

// beside refuses arguments of the function that were given beside kwargs
// instead of inside: they would be ignored without a word. So would the wish for
// a dry run where there are no plans, and the function would run.
func beside(f *registry.Function, direct []member) error {
	for _, m := range direct {
		if len(m.key) > maxKey {
			continue
		}
		if p, ok := f.Param(m.key); ok {
			return &registry.Error{
				Kind: registry.InvalidArguments, Namespace: f.Namespace(), Name: f.Name(),
				Message: fmt.Sprintf("The argument `%s` belongs in `kwargs`.", p.Name),
			}
		}
		if canonicalKey(m.key) == "dryrun" && string(m.value) != "false" && string(m.value) != "null" {
			return &registry.Error{
				Kind: registry.InvalidArguments, Namespace: f.Namespace(), Name: f.Name(),
				Message: fmt.Sprintf("The argument `%s` is not known here, where no dry runs are made. The function was not run.", m.key),
				Hint:    "Pass it in `kwargs` if the function itself takes it.",
			}
		}
	}
	return nil
}
