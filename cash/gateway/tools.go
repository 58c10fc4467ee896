package gateway

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// Every conversation pays for the definitions of the tools. They are therefore written by hand and
// do not depend on the functions.

const browseDescription = "Find tools of this server. Returns cards with ids. " +
	"Give a query in words, or a path: / lists what there is, and each card's path or id leads on."

const browseSchema = `{"type":"object","properties":{` +
	`"query":{"type":"string","description":"What you need, in words. Not together with path."},` +
	`"path":{"type":"string","description":"Where to look, e.g. /, /orders or /orders/*?tag=read-only."},` +
	`"top_k":{"type":"integer","minimum":1,"maximum":100,"description":"Most cards to return."},` +
	`"offset":{"type":"integer","minimum":0,"description":"Cards to skip."}},"additionalProperties":false}`

const executeDescription = "Run a tool by the id on its card. Arguments that do not fit are answered with the tool's schema. " +
	"Returns an envelope; a large result stays behind handles in its artifacts, for tool_view."

const proxyExecuteDescription = "Run a tool that tools/list names, by its id: those tools cannot be called directly. " +
	"Arguments that do not fit are answered with the tool's schema."

const executeProperties = `"args":{"type":"object","description":"The tool's arguments by name."},` +
	`"dry_run":{"type":"boolean","description":"Check the call without running it, and show its schema."}`

const planProperty = `,"plan_token":{"type":"string","description":"What a dry run gave for this call."}`

const viewDescription = "Look into a result that tool_execute has kept. Selectors: " +
	`{"type":"head"|"tail","chars":n}, {"type":"lines"|"rows","start":a,"end":b}, {"type":"json_keys","keys":[..]}, ` +
	`{"type":"path","path":"$.items[*].id"}, {"type":"search","query":"..","context":n}. An answer with next goes on with that selector.`

const viewSchema = `{"type":"object","properties":{` +
	`"handle":{"type":"string","description":"From the artifacts of an envelope."},` +
	`"selector":{"type":"object","description":"What to show. Omit for the beginning."}},` +
	`"required":["handle"],"additionalProperties":false}`

const hydrateDescription = "Show the whole definition of a tool that tools/list names: its description and the schema of its arguments."

const hydrateSchema = `{"type":"object","properties":{"tool_id":{"type":"string","description":"` + proxyIDs + `"}},` +
	`"required":["tool_id"],"additionalProperties":false}`

const resourceBrowseDescription = "Find resources (documents, data) of this server. Returns cards with ids for resource_read. " +
	"Give a query in words, or a path: / lists what there is."

const resourceReadDescription = "Read a resource by the id on its card."

const resourceReadSchema = `{"type":"object","properties":{"resource_id":{"type":"string","description":"From a card."}},` +
	`"required":["resource_id"],"additionalProperties":false}`

const promptBrowseDescription = "Find prompts (templates for tasks) of this server. Returns cards with ids for prompt_get. " +
	"Give a query in words, or a path: / lists what there is."

const promptGetDescription = "Get a prompt by the id on its card, with its arguments filled in."

// shielded is added to the descriptions of tools whose results pass the firewall.
const shielded = " Returns an envelope; a large one stays behind handles, for tool_view."

const promptGetSchema = `{"type":"object","properties":{"prompt_id":{"type":"string","description":"From a card."},` +
	`"args":{"type":"object","description":"The prompt's arguments by name."}},"required":["prompt_id"],"additionalProperties":false}`

// The sources of ids, by mode, for hints.
const (
	gatewayIDs = "Take it from a card."
	proxyIDs   = "It is the tool's name in tools/list."
)

func (s *Server) whereIDs() string {
	if s.opts.Mode == Proxy {
		return proxyIDs
	}
	return gatewayIDs
}

// executeName is the name of the tool that runs functions.
const (
	executeName = "tool_execute"
	browseName  = "tool_browse"
	hydrateName = "tool_hydrate"
	viewName    = "tool_view"

	resourceBrowseName = "resource_browse"
	resourceReadName   = "resource_read"
	promptBrowseName   = "prompt_browse"
	promptGetName      = "prompt_get"
)

// lookTimeout bounds the time for browsing and viewing. They read memory or a disk, but the
// embedder's visibility rules and stores may hang. Calls have deadlines of their own.
const lookTimeout = 30 * time.Second

// face is the [serve.Face] of a Server.
type face struct{ *Server }

// tool is one of the gateway's own tools.
type tool struct {
	name, description, schema string
	reads                     bool
	calls                     bool // runs a function, which has a deadline and limits of its own
	run                       serve.ToolFunc
}

// Add implements [serve.Face].
func (f face) Add(srv *mcp.Server, h *serve.Host) {
	for _, t := range f.own() {
		srv.AddTool(&mcp.Tool{
			Name: t.name, Description: t.description, InputSchema: json.RawMessage(t.schema), Annotations: t.annotations(),
		}, h.Tool(f.metered(t), t.timeout(), f.render))
	}
	if f.opts.Mode == Proxy {
		render := func(err error, _ json.RawMessage) *registry.Result { return f.render(err) }
		h.AddListed(srv, &serve.Listed{List: f.listed, Call: f.direct, Render: render})
	}
}

// Changed implements [serve.Changing]. Only the tools of a [Proxy] change.
func (f face) Changed() <-chan struct{} {
	if f.opts.Mode != Proxy {
		return nil
	}
	return registry.Changed(f.tools.source)
}

func (t tool) timeout() time.Duration {
	if t.calls {
		return 0
	}
	return lookTimeout
}

// annotations returns the annotations of the tool. The effects of an execution depend on the
// function, so they state the protocol's defaults: it may destroy and reach out.
func (t tool) annotations() *mcp.ToolAnnotations {
	no, yes := false, true
	if t.reads {
		return &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
	}
	return &mcp.ToolAnnotations{DestructiveHint: &yes}
}

// metered returns the tool's function with a check of its quota (section 4.5).
func (f face) metered(t tool) serve.ToolFunc {
	return func(ctx context.Context, req *serve.Request) (*registry.Result, error) {
		if t.calls {
			ctx = control.Through(ctx, t.name)
		} else if err := f.opts.Serve.Controls.Quota.Allow(ctx, req.Owner(ctx), t.name); err != nil {
			return nil, f.failed(ctx, t.name, err)
		}
		r, err := t.run(ctx, req)
		if err != nil {
			return nil, f.failed(ctx, t.name, err)
		}
		return r, nil
	}
}

// own returns the gateway's own tools.
func (f face) own() []tool {
	plan := ""
	if f.opts.Serve.Controls.Plans != nil {
		plan = planProperty
	}
	execute := `{"type":"object","properties":{"tool_id":{"type":"string","description":"` + f.whereIDs() + `"},` +
		executeProperties + plan + `},"required":["tool_id"],"additionalProperties":false}`
	hint := ""
	if f.opts.Serve.Hint != "" {
		hint = " " + f.opts.Serve.Hint
	}
	var tools []tool
	if f.opts.Mode == Proxy {
		tools = []tool{
			{hydrateName, hydrateDescription, hydrateSchema, true, false, f.hydrateTool},
			{executeName, proxyExecuteDescription + hint, execute, false, true, f.executeTool},
		}
	} else {
		tools = []tool{
			{browseName, browseDescription + hint, browseSchema, true, false, f.browser(f.tools)},
			{executeName, executeDescription, execute, false, true, f.executeTool},
			{viewName, viewDescription, viewSchema, true, false, f.viewTool},
		}
	}
	shielded := shielded
	if f.opts.Mode == Proxy {
		shielded = ""
	}
	if f.resources != nil {
		tools = append(tools,
			tool{resourceBrowseName, resourceBrowseDescription, browseSchema, true, false, f.browser(f.resources)},
			tool{resourceReadName, resourceReadDescription + shielded, resourceReadSchema, true, true, f.resourceTool})
	}
	if f.prompts != nil {
		tools = append(tools,
			tool{promptBrowseName, promptBrowseDescription, browseSchema, true, false, f.browser(f.prompts)},
			tool{promptGetName, promptGetDescription + shielded, promptGetSchema, true, true, f.promptTool})
	}
	return tools
}

// browser returns the browse tool for a catalog.
func (f face) browser(c *catalog) serve.ToolFunc {
	return func(ctx context.Context, from *serve.Request) (*registry.Result, error) {
		req, err := browseRequest(from.Arguments)
		if err != nil {
			return nil, err
		}
		p, err := f.browse(ctx, c, req, from)
		if err != nil {
			return nil, err
		}
		return f.shown(p, req)
	}
}

// shown returns a page of cards as a result.
func (f face) shown(p page, req *BrowseRequest) (*registry.Result, error) {
	note := p.note(req)
	text, err := p.text(f.opts.Counter, note)
	if f.stable != nil {
		text, err = p.lines()
	}
	if err != nil {
		return nil, err
	}
	r := registry.TextResult(text)
	if f.stable != nil && note != "" {
		r.Content = append(r.Content, &mcp.TextContent{Text: note})
	}
	if f.opts.Structured {
		cards := map[string]any{"cards": append([]card.ChoiceCard{}, p.cards...)} // an array, even if there are none
		if note != "" {
			cards["note"] = note
		}
		r.Structured = asJSON(cards)
	}
	return r, nil
}

func (f face) executeTool(ctx context.Context, from *serve.Request) (*registry.Result, error) {
	req, err := executeRequest(from.Arguments, f.opts.Serve.Controls.Plans != nil, f.whereIDs())
	if err != nil {
		return nil, err
	}
	return f.execute(ctx, f.tools, req, from)
}

func (f face) viewTool(ctx context.Context, from *serve.Request) (*registry.Result, error) {
	req, err := viewRequest(from.Arguments)
	if err != nil {
		return nil, err
	}
	page, err := f.view(ctx, req, from)
	if err != nil {
		return nil, err
	}
	return f.result(page), nil
}

func (f face) hydrateTool(ctx context.Context, from *serve.Request) (*registry.Result, error) {
	args, err := readArguments(from.Arguments, "tool_id")
	if err != nil {
		return nil, err
	}
	id, err := args.given("tool_id", proxyIDs)
	if err != nil {
		return nil, err
	}
	h, err := f.hydrate(ctx, id, from)
	if err != nil {
		return nil, err
	}
	return f.result(h), nil
}

func (f face) resourceTool(ctx context.Context, from *serve.Request) (*registry.Result, error) {
	args, err := readArguments(from.Arguments, "resource_id")
	if err != nil {
		return nil, err
	}
	id, err := args.given("resource_id", "Take it from a card that resource_browse returned.")
	if err != nil {
		return nil, err
	}
	return f.execute(ctx, f.resources, &ExecuteRequest{ID: id}, from)
}

func (f face) promptTool(ctx context.Context, from *serve.Request) (*registry.Result, error) {
	args, err := readArguments(from.Arguments, "prompt_id", "args")
	if err != nil {
		return nil, err
	}
	id, err := args.given("prompt_id", "Take it from a card that prompt_browse returned.")
	if err != nil {
		return nil, err
	}
	return f.execute(ctx, f.prompts, &ExecuteRequest{ID: id, Args: args["args"]}, from)
}

// Skills implements [serve.Skilled].
func (f face) Skills() registry.Source { return f.tools.source }

// Instructions implements [serve.Face]. The text tells a connecting model what the server has, as
// far as this caller may see it, and how to begin.
func (f face) Instructions(ctx context.Context) string {
	nodes, err := registry.Browse(ctx, f.tools.source, "/")
	if err != nil || len(nodes) == 0 {
		return ""
	}
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Path
	}
	line := "Start with tool_browse. Paths: "
	if f.opts.Mode == Proxy {
		line = "Run the listed tools with tool_execute. They are about: "
	}
	return serve.Index(line, names)
}
