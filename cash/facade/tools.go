package facade

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// The schema is the same for every domain, and each domain pays for it, so it is short and hand-written. Unknown
// members are ignored, unless they look misplaced (see request.misplaced).
const (
	schemaHead = `{"type":"object","properties":{` +
		`"cmd":{"type":"string","description":"Command."},` +
		`"detail":{"type":"string","enum":["minimal","standard","full"],"default":"standard","description":"How much to return."},` +
		`"params":{"type":"object","description":"Its parameters."}`
	schemaPlans = `,"dry_run":{"type":"boolean","description":"Check the call without running it."}` +
		`,"plan_token":{"type":"string","description":"What a dry run gave for this call."}`
	schemaTail = `},"required":["cmd"]}`
)

// face is the [serve.Face] of a Server.
type face struct{ *Server }

// Add implements [serve.Face].
func (f face) Add(srv *mcp.Server, h *serve.Host) {
	h.AddListed(srv, &serve.Listed{List: f.list, Call: f.call, Render: f.render})
}

// list returns the domains that the caller sees as tools (F1).
func (f face) list(ctx context.Context, _ *mcp.ListToolsRequest) (serve.ToolList, error) {
	domains, err := f.domains(ctx)
	names := make([]string, len(domains))
	for i, d := range domains {
		names[i] = d.tool
	}
	return serve.ToolList{Names: names, Tool: func(i int) *mcp.Tool { return f.define(ctx, domains[i], len(domains)) }}, err
}

// define returns the tool of one of so many domains; nil if the domain has just disappeared.
func (f face) define(ctx context.Context, d *domain, domains int) *mcp.Tool {
	commands, whole, err := d.commands(ctx)
	if errors.Is(err, registry.UnknownNamespace) {
		return nil
	}
	whole = whole && err == nil // an error affects this domain only
	schema := schemaHead + schemaTail
	if f.plans() {
		schema = schemaHead + schemaPlans + schemaTail
	}
	return &mcp.Tool{
		Name: d.tool, Description: d.describe(commands, whole, domains), InputSchema: json.RawMessage(schema), Annotations: annotations(commands, whole),
	}
}

func (f face) plans() bool { return f.opts.Serve.Controls.Plans != nil }

// annotations returns the effects that all commands declare. What one of them does not declare is left out, unless
// another one destroys, or reaches an open world.
func annotations(commands []command, whole bool) *mcp.ToolAnnotations {
	whole = whole && len(commands) > 0
	all := &mcp.ToolAnnotations{ReadOnlyHint: whole, IdempotentHint: whole}
	var destructive, openWorld effect
	for _, c := range commands {
		h := c.Hints()
		all.ReadOnlyHint = all.ReadOnlyHint && h.ReadOnly
		all.IdempotentHint = all.IdempotentHint && (h.ReadOnly || c.Idempotent())
		if h.ReadOnly {
			h.Destructive = new(bool)
		}
		destructive.add(h.Destructive)
		openWorld.add(h.OpenWorld)
	}
	all.DestructiveHint, all.OpenWorldHint = destructive.of(whole), openWorld.of(whole)
	return all
}

// An effect counts what commands declare of one effect.
type effect struct{ yes, unsaid bool }

func (e *effect) add(declared *bool) {
	e.yes = e.yes || declared != nil && *declared
	e.unsaid = e.unsaid || declared == nil
}

// of returns the effect of all commands together. whole reports that they are all known.
func (e *effect) of(whole bool) *bool {
	if !e.yes && (e.unsaid || !whole) {
		return nil
	}
	return &e.yes
}

// call answers a call of a domain's tool.
func (f face) call(ctx context.Context, name string, req *serve.Request) (*registry.Result, error) {
	find := func(ctx context.Context) (*domain, error) {
		d, err := f.byTool(ctx, name)
		if d == nil && err == nil {
			err = serve.ErrUnknownTool
		}
		return d, err
	}
	resp, err := f.execute(ctx, find, readRequest(req.Arguments, f.plans()), req)
	if err != nil {
		return nil, err
	}
	return resp.result(), nil
}

// Changed implements [serve.Changing].
func (f face) Changed() <-chan struct{} { return registry.Changed(f.source) }

// Instructions implements [serve.Face]. It lists the domains that this caller may see, and how to call them.
func (f face) Instructions(ctx context.Context) string {
	domains, err := f.domains(ctx)
	if err != nil || len(domains) == 0 {
		return ""
	}
	names := make([]string, len(domains))
	for i, d := range domains {
		names[i] = d.tool
	}
	line := "Each tool is a domain: pass it cmd and params. Its cmd help finds commands and tells params. Domains: "
	return serve.Index(line, names)
}
