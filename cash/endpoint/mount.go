package endpoint

import (
	"context"
	"errors"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// Mount replaces a namespace of reg, and all below it, by the tools of the endpoint, in one step. Every call of
// such a function starts a process. The package comment describes names and results. After an error nothing has
// changed.
func (c *Client) Mount(ctx context.Context, reg *registry.Registry, namespace string) (*Report, error) {
	tools, findings, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{Tools: len(tools), Findings: findings}
	tree := registry.New(nil)
	root, err := tree.TryNamespace("", clean.Cut(clean.Text(c.opts.Description), maxDescription))
	if err != nil {
		return nil, err
	}
	for _, t := range takeLabels(new(label.Set), tools) {
		if err := root.TryAdd(c.function(t.Descriptor, t.label, r)); err != nil {
			return nil, err
		}
	}
	if err := reg.Replace(namespace, tree); err != nil {
		return nil, err
	}
	return r, nil
}

// Limits of texts, in characters.
const (
	maxDescription = 4000
	maxSafety      = 300
)

// function builds the function of a tool. The endpoint's claims about effects are shown but not trusted.
func (c *Client) function(d *Descriptor, name string, r *Report) *registry.Function {
	if name != d.Name {
		r.Findings = append(r.Findings, finding(d.Name, Mapped, "it is called "+name+" here"))
	}
	said, dropped := d.cleaned()
	if dropped {
		r.Findings = append(r.Findings, finding(d.Name, Flagged, "its further members are not passed on: they are too large, or not clean"))
	}
	remote := registry.Remote{
		InputSchema: d.InputSchema, Tool: d.Name, Server: c.cmd.Fingerprint(), ServerName: c.opts.Name, Handler: c.handler(d.Name),
		Native: strictjson.MustMarshal(said), OwnDefaults: true,
	}
	f, err := wire.RemoteFunc(name, about(said), remote, c.facts(d, name, r))
	if err != nil && !f.SchemaShown() {
		r.Findings = append(r.Findings, finding(d.Name, Flagged, "its input schema is not used: "+err.Error()))
	}
	return f
}

// facts returns options for the tool's other properties.
func (c *Client) facts(d *Descriptor, name string, r *Report) []registry.FuncOption {
	facts := []registry.FuncOption{registry.Timeout(c.pipelineTimeout())}
	if name != d.Name {
		facts = append(facts, registry.Aliases(clean.Line(d.Name, maxName)))
	}
	if len(d.ResultSchema) > 0 {
		s, err := schema.Parse(d.ResultSchema)
		if err != nil {
			r.Findings = append(r.Findings, finding(d.Name, Flagged, "its result schema is not used: "+err.Error()))
			return facts
		}
		facts = append(facts, registry.OutputSchema(d.ResultSchema), registry.Returns(s.Summary()))
	}
	return facts
}

// pipelineTimeout returns the deadline of a call in the pipeline. It leaves room to end the process after the
// request's own deadline.
func (c *Client) pipelineTimeout() time.Duration {
	if c.opts.Timeout < 0 {
		return -1
	}
	return c.opts.Timeout + 5*grace
}

// about returns the description, followed by the endpoint's words on safety and on where the tool runs.
func about(d *Descriptor) string {
	about := clean.Cut(clean.Text(d.Description), maxDescription)
	if safety := clean.Line(d.Safety, maxSafety); safety != "" {
		about += "\n\nSafety, in the words of the endpoint: " + sentence(safety)
	}
	if d.Origin == Remote {
		about += "\n\nIt runs elsewhere, behind the endpoint."
	}
	return about
}

// handler returns the handler that calls a tool. It cleans the result.
func (c *Client) handler(tool string) registry.Handler {
	return func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		a, err := c.call(ctx, tool, call.Arguments)
		if err != nil {
			var e *registry.Error
			if errors.As(err, &e) {
				e.Namespace, e.Name = call.Function.Namespace(), call.Function.Name()
			}
			return nil, err
		}
		object := clean.ContentJSON(a.result)
		if a.coded {
			return commandResult(object, a.code), nil
		}
		res := registry.TextResult(string(object))
		res.Structured = object
		return res, nil
	}
}
