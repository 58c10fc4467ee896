package disclosure

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/search"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	resourceName = "Tool Descriptions - Required for tool use"
	mimeType     = "application/json"
	private      = "private" // a fetch has an effect, and depends on who fetches
	readTimeout  = 30 * time.Second
)

// resourceDescription tells a model how to go on from tools/list (section 4.2).
func (s *Server) resourceDescription() string {
	text := "The parameters of the tools in tools/list, whose short descriptions are for choosing a tool and do not tell how to call it. WORKFLOW: " +
		"Step 1: Pick a tool from tools/list by what it does. " +
		"Step 2: Before calling it, fetch its full description: " + s.uriOf("TOOL_NAME") + ", or several at once: " + s.uriOf("TOOL1,TOOL2") + ". " +
		"Step 3: Call the tool with the parameters learned. " +
		"Fetching authorizes the tools for this session. A call without it fails with " + string(ToolDescriptionRequired) + ". " +
		"?tools= is required, with names exactly as in tools/list; fetch only what you are about to use."
	if s.opts.Grants != nil {
		text += " If usage_guidance has a _grant, pass it in each call."
	}
	return text
}

// askedKey is the key under which a context has the URI that was asked for.
type askedKey struct{}

// addResource adds the resource to srv. The SDK's own routing does not know
// queries of all forms (PX4), so that they are told from other URIs here, and
// routed to the resource by its bare URI.
func (f face) addResource(srv *mcp.Server, host *serve.Server) {
	read := func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return f.read(ctx, host, req), nil
	}
	srv.AddResource(&mcp.Resource{
		URI: f.opts.URI, Name: resourceName, Description: f.resourceDescription(), MIMEType: mimeType,
	}, read)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: f.opts.URI + "{?tools}", Name: resourceName, MIMEType: mimeType,
		Description: "Full descriptions of the tools that are named, separated by commas.",
	}, read)
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.ReadResourceRequest); ok {
				ctx, req = f.routed(ctx, r)
			}
			res, err := next(ctx, method, req)
			return f.uncached(ctx, res), err
		}
	})
}

// routed makes a fetch one of the bare URI.
func (f face) routed(ctx context.Context, req *mcp.ReadResourceRequest) (context.Context, mcp.Request) {
	if req.Params == nil {
		return ctx, req
	}
	rest, ours := strings.CutPrefix(req.Params.URI, f.opts.URI)
	if !ours || rest != "" && rest[0] != '?' && rest[0] != '#' {
		return ctx, req
	}
	routed, params := *req, *req.Params
	params.URI = f.opts.URI
	routed.Params = &params
	return context.WithValue(ctx, askedKey{}, req.Params.URI), &routed
}

// uncached keeps what depends on the caller, or has an effect, out of caches (PX3),
// whatever the server that the face was added to says of its own.
func (f face) uncached(ctx context.Context, res mcp.Result) mcp.Result {
	none := mcp.Cacheable{CacheScope: private}
	switch r := res.(type) {
	case *mcp.ListToolsResult:
		if r != nil {
			list := *r // the SDK may hand the same one to others
			list.Cacheable = none
			return &list
		}
	case *mcp.ReadResourceResult:
		if _, ours := ctx.Value(askedKey{}).(string); ours && r != nil {
			r.Cacheable = none
		}
	}
	return res
}

// read answers a fetch. What goes wrong is in the text, where a model sees it (PX1).
func (f face) read(ctx context.Context, host *serve.Server, req *mcp.ReadResourceRequest) *mcp.ReadResourceResult {
	uri, ok := ctx.Value(askedKey{}).(string)
	if !ok {
		uri = req.Params.URI
	}
	body, err := serve.Do(ctx, host, req, "resources/read", readTimeout, func(ctx context.Context) (json.RawMessage, error) {
		return f.fetch(ctx, serve.Session(req), strings.TrimPrefix(uri, f.opts.URI))
	})
	if err != nil {
		body = failureOf(err).body()
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mimeType, Text: string(body)}}}
}

// fetch answers a query with the descriptions of its tools, and authorises them
// for the session, or by grants if that is nil.
func (s *Server) fetch(ctx context.Context, ss *mcp.ServerSession, query string) (json.RawMessage, error) {
	if len(query) > maxQuery {
		return nil, tooMany()
	}
	names := parseTools(strings.TrimPrefix(query, "?"))
	switch {
	case len(names) == 0:
		return nil, s.missing()
	case len(names) > maxNames:
		return nil, tooMany()
	case ss == nil && s.opts.Grants == nil:
		return nil, sessionRequired()
	}
	to := target{Server: s}
	if ss != nil {
		to.session = s.sessions.of(ss, s.fetches.limiter)
	}
	if err := s.fetches.allow(to.allowance(ctx)); err != nil {
		return nil, err
	}
	if s.files != nil && s.opts.Reload {
		s.files.reload()
	}
	return to.answer(ctx, names)
}

// target is who a fetch is for, and what has been looked up for it.
type target struct {
	*Server
	session *session // nil is for grants

	functions []*registry.Function // that the caller sees; nil until asked for
	names     []string             // of them
	unknown   int                  // names that were none so far
}

// allowance is what the fetch is taken from.
func (t *target) allowance(ctx context.Context) *rate.Limiter {
	if t.session != nil {
		return t.session.fetches
	}
	return t.fetches.of(registry.CallerFrom(ctx).Owner())
}

// answer is the object of the descriptions, in the order of the names.
func (t *target) answer(ctx context.Context, names []string) (json.RawMessage, error) {
	var o object
	seen := make(map[string]bool, len(names))
	var fetched []*registry.Function
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, &registry.Error{Kind: registry.Canceled, Message: "The request was cancelled.", Err: err}
		}
		key := shown(name)
		if seen[key] {
			continue
		}
		seen[key] = true
		f, err := t.lookUp(ctx, name)
		if err != nil {
			o.add(key, t.absent(ctx, key, err))
			continue
		}
		fetched = append(fetched, f)
		o.add(key, t.describe(f, t.grant(ctx, f)))
	}
	for _, f := range fetched {
		if t.session != nil {
			t.session.authorise(f.FlatName(), t.definition(f))
		}
	}
	return o.json(), nil
}

// lookUp is find for many names: those that [registry.FindFlat] would walk for are
// looked up in one walk.
func (t *target) lookUp(ctx context.Context, name string) (*registry.Function, error) {
	if !isToolName(name) {
		return nil, registry.NoFunction("", name)
	}
	if len(name) < longName {
		return t.find(ctx, name)
	}
	t.walk(ctx)
	for i, n := range t.names {
		if n == name {
			return t.functions[i], nil
		}
	}
	return nil, registry.NoFunction("", name)
}

// longName is the length of names that may have been cut.
const longName = 64

// walk finds out what the caller sees, once.
func (t *target) walk(ctx context.Context) {
	if t.names != nil {
		return
	}
	t.functions, _ = t.all(ctx) // what was seen before an error will do
	t.names = make([]string, len(t.functions))
	for i, f := range t.functions {
		t.names[i] = f.FlatName()
	}
}

// grant is one of a tool, for who has no session.
func (t *target) grant(ctx context.Context, f *registry.Function) string {
	if t.session != nil {
		return ""
	}
	return t.opts.Grants.issue(ctx, t.opts.Now(), f.FlatName(), t.definition(f))
}

const (
	maxAvailable = 50 // tools that are named where one is unknown
	maxUnknown   = 20 // unknown names that get such a list
)

// absent is the entry of a name that is not there for the caller (section 6.3), or
// not now.
func (t *target) absent(ctx context.Context, name string, err error) json.RawMessage {
	var o object
	if e := registry.AsError(err); e.Kind == registry.Unavailable {
		o.addText(envelope, fmt.Sprintf("Tool '%s' is not available now: %s", name, clean.Line(e.Error(), maxMessage)))
		return o.json()
	}
	o.addText(envelope, fmt.Sprintf("Tool '%s' not found", name))
	available := []string{}
	if t.unknown++; t.unknown <= maxUnknown {
		t.walk(ctx)
		available = closest(name, t.names)
	}
	o.add("available_tools", asJSON(available))
	return o.json()
}

// closest returns the names, and of very many those that are most like one first.
func closest(name string, names []string) []string {
	if len(names) <= maxAvailable {
		return append([]string{}, names...)
	}
	list := search.Similar(name, names, maxAvailable)
	near := make(map[string]bool, len(list))
	for _, n := range list {
		near[n] = true
	}
	for _, n := range names {
		if len(list) >= maxAvailable {
			break
		}
		if !near[n] {
			list = append(list, n)
		}
	}
	return list
}
