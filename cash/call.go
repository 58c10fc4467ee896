package cash

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// An execution is one call of a function. Its goroutine may be abandoned, so it shares its findings
// through an atomic field.
type execution struct {
	*Server
	req    *CallRequest
	direct []member
	gating atomic.Pointer[gating] // nil until the arguments are valid
}

// call runs a function for a request. direct are members beside kwargs that the tool does not have.
// The tool and [Server.Call] use it.
func (s *Server) call(ctx context.Context, req *CallRequest, from *serve.Request, direct []member) (*registry.Result, error) {
	if req.Function == "" {
		return nil, s.withHint(ctx, missingFunction(req.Namespace))
	}
	x := &execution{Server: s, req: req, direct: direct}
	res, err := s.pipeline.Call(ctx, &registry.Request{
		Find: x.find, Ready: x.ready, Arguments: req.Kwargs, Reserved: s.reserved(),
		Progress: from.Progress, Client: from.Client, DryRun: req.DryRun, PlanToken: req.PlanToken,
		Record: from.Record,
	})
	g := x.gating.Load()
	switch {
	case err == nil:
		return g.deliver(ctx, res), nil
	case g != nil:
		if over := g.gateError(ctx, registry.AsError(err)); over != nil {
			from.Record.Note(func(r *observe.Request) { r.Outcome = observe.Outcome(registry.AsError(err).Kind) })
			return over, nil
		}
	}
	return nil, s.hinted(ctx, err)
}

// find returns the function of a call. It refuses arguments beside kwargs that would be ignored.
func (x *execution) find(ctx context.Context) (*registry.Function, error) {
	f, err := x.source.Function(ctx, x.req.Namespace, x.req.Function)
	if err != nil {
		return nil, x.withHint(ctx, err)
	}
	return f, refuseDirect(f, x.direct, x.req.Kwargs)
}

// ready sets the dry run and the gate of the call from the reserved arguments
// ([registry.Request.Ready]).
func (x *execution) ready(ctx context.Context, c *registry.Call) (context.Context, error) {
	plan(c)
	g, err := x.newGating(c, x.req)
	if err != nil {
		return nil, err
	}
	if g.mayReplay() {
		g.key(g.token) // computed here, before several goroutines may use it
		c.Kept = g.kept
	}
	x.gating.Store(g)
	return ctx, nil
}

// reserved returns the arguments in kwargs that belong to the face.
func (s *Server) reserved() []registry.Reserved {
	if s.opts.Serve.Controls.Plans != nil {
		return planned
	}
	return reserved
}

// plan turns the call into a dry run if a reserved argument asks for one.
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

// streamed marks the result of a streaming function, so that a server that mounts this one does not
// gate it.
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

// refuseDirect refuses arguments of the function beside kwargs, because they would be ignored
// silently. Without kwargs, these may be an object of another name, such as arguments. It also refuses dry_run on a server
// without plans, because the function would run.
func refuseDirect(f *registry.Function, direct []member, kwargs json.RawMessage) error {
	for _, m := range direct {
		if len(m.key) > maxKey {
			continue
		}
		p, ok := f.Param(m.key)
		if !ok {
			p, ok = f.Param(withoutHyphens(m.key))
		}
		if ok {
			message := fmt.Sprintf("The argument `%s` belongs in `kwargs`.", p.Name)
			for key := range strictjson.Members(kwargs) {
				if canonicalKey(key) == canonicalKey(m.key) {
					message = fmt.Sprintf("The argument `%s` is given twice, in `kwargs` and beside it. Pass it in `kwargs` only.", p.Name)
				}
			}
			return &registry.Error{Kind: registry.InvalidArguments, Namespace: f.Namespace(), Name: f.Name(), Message: message}
		}
		if kwargs == nil && strictjson.KindOf(m.value) == strictjson.Object && !strings.HasPrefix(m.key, "_") {
			return &registry.Error{
				Kind: registry.InvalidArguments, Namespace: f.Namespace(), Name: f.Name(), NotRun: true,
				Message: fmt.Sprintf("The argument `%s` is not known. The function was not run.", m.key),
				Hint:    "Pass its arguments in `kwargs`.",
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
