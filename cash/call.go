package cash

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// call is what a transport knows of a call beyond its arguments.
type call struct {
	connection string // id of the connection; empty if there is none to tell apart
	progress   func(context.Context, registry.Progress) error
	client     *registry.Client
	direct     []member // arguments of the tool that it does not name
}

func (s *Server) call(ctx context.Context, req *CallRequest, via call) (*registry.Result, error) {
	if req == nil {
		req = &CallRequest{}
	}
	res, err := s.run(ctx, req, via)
	if err != nil {
		return nil, s.withHint(ctx, err)
	}
	return res, nil
}

func (s *Server) run(ctx context.Context, req *CallRequest, via call) (*registry.Result, error) {
	if req.Function == "" {
		return nil, missingFunction(req.Namespace)
	}
	if len(via.direct) > 0 {
		if f, err := s.source.Function(ctx, req.Namespace, req.Function); err == nil {
			if err := beside(f, via.direct); err != nil {
				return nil, err
			}
		}
	}
	c, err := s.pipeline.Prepare(ctx, &registry.Request{
		Namespace: req.Namespace, Function: req.Function, Arguments: orNone(req.Kwargs),
		Reserved: s.reserved(), Progress: via.progress, Client: via.client,
		DryRun: req.DryRun, PlanToken: req.PlanToken,
	})
	if err != nil {
		return nil, err
	}
	plan(c)
	if c.Client != nil {
		c.Client.Owner = serve.Owner(ctx, via.connection, via.client)
	}
	g, err := s.newGating(ctx, c, req, via)
	if err != nil {
		return nil, err
	}
	if g.mayReplay() {
		g.key() // before the function's goroutine asks for it
		ctx = context.WithValue(ctx, gatingKey{}, g)
	}
	res, err := s.pipeline.Run(ctx, c)
	if err != nil {
		if over := g.gateError(ctx, registry.AsError(err)); over != nil {
			return over, nil
		}
		return nil, err
	}
	if over := g.gate(ctx, res); over != nil {
		return over, nil
	}
	if (c.Function.Streaming() || res.Ungated && !res.IsError) && len(registry.Via(ctx)) > 0 {
		return streamed(res), nil
	}
	return res, nil
}

// reserved are the arguments that mean something to the face.
func (s *Server) reserved() []registry.Reserved {
	if s.opts.Controls.Plans != nil {
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

// orNone makes the JSON null, which stands for an argument that is omitted
// (X15), nothing.
func orNone(data json.RawMessage) json.RawMessage {
	if string(strictjson.Trim(data)) == "null" {
		return nil
	}
	return data
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
				Kind: registry.InvalidArguments, Namespace: f.Namespace(), Name: f.Name,
				Message: fmt.Sprintf("The argument `%s` belongs in `kwargs`.", p.Name),
			}
		}
		if canonicalKey(m.key) == "dryrun" && string(m.value) != "false" && string(m.value) != "null" {
			return &registry.Error{
				Kind: registry.InvalidArguments, Namespace: f.Namespace(), Name: f.Name,
				Message: fmt.Sprintf("The argument `%s` is not known here, where no dry runs are made. The function was not run.", m.key),
				Hint:    "Pass it in `kwargs` if the function itself takes it.",
			}
		}
	}
	return nil
}
