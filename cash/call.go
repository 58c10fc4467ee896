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

// An execution is one call. What its goroutine, which may be left behind, finds out
// is in an atomic field.
type execution struct {
	*Server
	req    *CallRequest
	direct []member
	gating atomic.Pointer[gating] // once the arguments are valid
}

// call runs a function for the request from. direct are arguments of the tool that
// it does not name.
func (s *Server) call(ctx context.Context, req *CallRequest, from *serve.Request, direct []member) (*registry.Result, error) {
	if req == nil {
		req = &CallRequest{}
	}
	if req.Function == "" {
		return nil, s.withHint(ctx, missingFunction(req.Namespace))
	}
	x := &execution{Server: s, req: req, direct: direct}
	res, err := s.pipeline.Call(ctx, &registry.Request{
		Find: x.find, Ready: x.ready, Arguments: req.Kwargs, Reserved: s.reserved(),
		Progress: from.Progress, Client: from.Client, DryRun: req.DryRun, PlanToken: req.PlanToken,
	})
	g := x.gating.Load()
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

// find looks up the function of a call, and refuses arguments beside kwargs that
// would be ignored.
func (x *execution) find(ctx context.Context) (*registry.Function, error) {
	f, err := x.source.Function(ctx, x.req.Namespace, x.req.Function)
	if err != nil {
		return nil, x.withHint(ctx, err)
	}
	return f, refuseDirect(f, x.direct)
}

// ready reads what stood among the function's arguments for the face: the wish for a
// dry run, and what its gate goes by.
func (x *execution) ready(ctx context.Context, c *registry.Call) (context.Context, error) {
	plan(c)
	g, err := x.newGating(c, x.req)
	if err != nil {
		return nil, err
	}
	if g.mayReplay() {
		g.key() // not later, by whoever asks first
		c.Kept = g.kept
	}
	x.gating.Store(g)
	return ctx, nil
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

// refuseDirect refuses arguments of the function that were given beside kwargs
// instead of inside: they would be ignored without a word. So would the wish for
// a dry run where there are no plans, and the function would run.
func refuseDirect(f *registry.Function, direct []member) error {
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
