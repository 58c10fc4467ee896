package cash

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// Every conversation pays for the definitions of the tools. They are therefore written by hand,
// static, and accept unknown members (R2, R6).

const callDescription = "Run a function of this server. " +
	"Find functions and their parameters with help first."

const callSchema = `{"type":"object","properties":{` +
	`"namespace":{"type":"string","description":"Dotted namespace, e.g. orders.retail. Omit for the root."},` +
	`"function":{"type":"string","description":"Name of the function in the namespace."},` +
	`"kwargs":{"type":"object","description":"The function's arguments by name."},` +
	`"sizelimit":{"type":"integer","description":"Most characters to return; a larger result is withheld and summarised."}},` +
	`"required":["function"]}`

const helpDescription = "Discover what this server can do, step by step: " +
	"its namespaces, the functions in one, the parameters of one function. Start without arguments."

const helpSchema = `{"type":"object","properties":{` +
	`"namespace":{"type":"string","description":"Namespace to list. Omit for the top level."},` +
	`"function":{"type":"string","description":"Function to document."},` +
	`"kwargs":{"type":"object","description":"Options that the top-level help names."}}}`

const skillDescription = "Step-by-step instructions for tasks that take several calls to this server. " +
	"Look here before such a task. Without arguments lists the skills."

const skillSchema = `{"type":"object","properties":{` +
	`"namespace":{"type":"string","description":"Namespace of the skill. Omit for the root."},` +
	`"skillname":{"type":"string","description":"Skill to read. Omit to list."},` +
	`"kwargs":{"type":"object","description":"Inputs of the skill by name."}}}`

// pageTimeout bounds the time for a page of help or a skill. Pages come from memory, but the
// embedder's hooks and visibility rules may hang. Calls have deadlines of their own.
const pageTimeout = 30 * time.Second

// face is the [serve.Face] of a Server.
type face struct{ *Server }

// Add implements [serve.Face].
func (f face) Add(srv *mcp.Server, h *serve.Host) {
	no := false
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
	help := helpDescription
	if f.opts.Serve.Hint != "" {
		help += " " + f.opts.Serve.Hint
	}
	for _, t := range []struct {
		name, description, schema string
		annotations               *mcp.ToolAnnotations
		run                       serve.ToolFunc
		timeout                   time.Duration
	}{
		// The effects of a call depend on the function. The annotations state the protocol's
		// defaults: it may destroy and reach out.
		{"call", callDescription, callSchema, &mcp.ToolAnnotations{ReadOnlyHint: false, DestructiveHint: ptr(true)}, f.callTool, 0},
		{"help", help, helpSchema, reads, f.helpTool, pageTimeout},
		{"skill", skillDescription, skillSchema, reads, f.skillTool, pageTimeout},
	} {
		srv.AddTool(&mcp.Tool{
			Name: t.name, Description: t.description,
			InputSchema: json.RawMessage(t.schema), Annotations: t.annotations,
		}, h.Tool(t.run, t.timeout, renderError))
	}
	f.addIdentity(srv, h)
}

// Changed implements [serve.Changing]. The tools never change, only what is behind them.
func (f face) Changed() <-chan struct{} { return registry.Changed(f.source) }

// Skills implements [serve.Skilled].
func (f face) Skills() registry.Source {
	if f.guide == nil {
		return f.source
	}
	return guided{f.source, f.Server}
}

func ptr[T any](v T) *T { return &v }

func (f face) callTool(ctx context.Context, req *serve.Request) (*registry.Result, error) {
	known := callSlots
	if f.opts.Serve.Controls.Plans != nil || len(registry.Via(ctx)) > 0 { // the token may be for a server behind this one
		known = planSlots
	}
	args, err := readToolArguments(req.Arguments, known, 0) // the pipeline bounds kwargs
	if err != nil {
		return nil, err
	}
	limit, err := args.sizeLimit()
	if err != nil {
		return nil, err
	}
	return f.call(control.Through(ctx, "call"), &CallRequest{
		Namespace: args.namespace, Function: args.function,
		Kwargs: args.kwargs, SizeLimit: limit, Replay: args.replay,
		DryRun: args.dryRun || req.DryRun, PlanToken: args.planToken,
	}, req, args.direct)
}

// metered counts a use of help or skill for the Quota.
func (f face) metered(ctx context.Context, req *serve.Request, tool string) error {
	return f.opts.Serve.Controls.Quota.Allow(ctx, req.Owner(ctx), tool)
}

func (f face) helpTool(ctx context.Context, req *serve.Request) (*registry.Result, error) {
	if req.DryRun { // it uses up no limit
		return f.dryRun(ctx, req)
	}
	if err := f.metered(ctx, req, "help"); err != nil {
		return nil, err
	}
	args, err := readToolArguments(req.Arguments, helpSlots, f.opts.Serve.MaxArguments)
	if err != nil {
		return nil, err
	}
	text, err := f.helpPage(ctx, &HelpRequest{
		Namespace: args.namespace, Function: args.function, Kwargs: args.mergedKwargs(),
	})
	r, err := textResult(text, err)
	if err == nil && len(registry.Via(ctx)) > 0 { // an aggregator asks and needs this server's instance
		first := args.function == "" && readHelpOptions(args.mergedKwargs()).window.offset == 0
		r.Meta = f.metaOf(ctx, args.namespace, first)
	}
	return r, err
}

// dryRun reports the checks of a call to a server that mounts this one ([registry.MetaDryRun]).
func (f face) dryRun(ctx context.Context, req *serve.Request) (*registry.Result, error) {
	args, err := readToolArguments(req.Arguments, helpSlots, 0) // the pipeline bounds kwargs
	if err != nil {
		return nil, err
	}
	return f.call(control.Through(ctx, "call"), &CallRequest{
		Namespace: args.namespace, Function: args.function, Kwargs: args.kwargs,
		SizeLimit: ptr(math.MaxInt32), DryRun: true,
	}, req, nil)
}

// metaOf returns the metadata of a page of help: the instance of the namespace's server, that
// dry runs are taken, and for the first page of a list, the definitions of all its functions.
func (f face) metaOf(ctx context.Context, namespace string, first bool) map[string]any {
	meta := map[string]any{registry.MetaInstance: f.instance, registry.MetaDryRun: true}
	l, err := f.source.List(ctx, namespace)
	if err != nil {
		return meta
	}
	if l.Instance != "" {
		meta[registry.MetaInstance] = l.Instance
	}
	if first && len(l.Functions) > 0 {
		definitions := make(map[string]string, len(l.Functions))
		for _, fn := range l.Functions {
			definitions[fn.Name()] = fn.Definition()[:32]
		}
		meta[registry.MetaDefinitions] = definitions
	}
	return meta
}

func (f face) skillTool(ctx context.Context, req *serve.Request) (*registry.Result, error) {
	if err := f.metered(ctx, req, "skill"); err != nil {
		return nil, err
	}
	args, err := readToolArguments(req.Arguments, skillSlots, f.opts.Serve.MaxArguments)
	if err != nil {
		return nil, err
	}
	text, err := f.skillText(ctx, &SkillRequest{
		Namespace: args.namespace, Name: args.skillname, Kwargs: args.mergedKwargs(),
	})
	return textResult(text, err)
}

func textResult(text string, err error) (*registry.Result, error) {
	if err != nil {
		return nil, err
	}
	return registry.TextResult(text), nil
}
