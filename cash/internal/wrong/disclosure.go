package wrong

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// DisclosureRows are the rows that a [Disclosure] breaks.
var DisclosureRows = strings.Fields("C1 C2 P5 C5 C7 C6 C8 C3 C4 P2 P18 P19 P25 P26 PX3")

// A Disclosure is a server of two-stage disclosure.
type Disclosure struct {
	Row  string // that it breaks
	Tool string // what the tool with the descriptions answers in place of them; "same" is as the resource; empty is no tool

	mu      sync.Mutex
	runs    int
	fetched map[any]map[string]bool // by session
}

func (h *Disclosure) is(row string) bool { return h.Row == row }

const halvedURI = "docs:///tool_descriptions"

var halvedTools = map[string]string{
	"find":   `{"type":"object","properties":{"item_name":{"type":"string"}},"required":["item_name"]}`,
	"put":    `{"type":"object","properties":{"amount":{"type":"integer"}}}`,
	"secret": `{"type":"object"}`,
	"locked": `{"type":"object"}`,
}

// Runs returns how often a tool has run.
func (h *Disclosure) Runs() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runs
}

// Run serves one connection.
func (h *Disclosure) Run(ctx context.Context, t mcp.Transport) error { return h.New().Run(ctx, t) }

// New returns the server of one connection.
func (h *Disclosure) New() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "halved", Version: "1"}, &mcp.ServerOptions{
		PageSize: 1, // a list is more than its first page
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			if c.CacheScope = "private"; h.is("PX3") {
				c.TTLMs = 1000
			}
		},
	})
	for name, schema := range halvedTools {
		tool := &mcp.Tool{Name: name, Description: "Do " + name + ".", InputSchema: json.RawMessage(`{"type":"object","additionalProperties":true}`)}
		switch {
		case name == "secret":
			continue
		case h.is("C1") && name == "put":
			tool.InputSchema = json.RawMessage(schema)
		case h.is("P2") && name == "find":
			tool.Description = "Find\nitem_name=tea."
		}
		srv.AddTool(tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return h.call(req), nil
		})
	}
	if h.Tool != "" {
		srv.AddTool(&mcp.Tool{
			Name: "tool_descriptions", Description: "Full descriptions.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"tools":{"type":"array","items":{"type":"string"}}}}`),
		}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args struct{ Tools []string }
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil || h.Tool != "same" {
				return spoken(h.Tool), err
			}
			return spoken(h.read(&mcp.ReadResourceRequest{Session: req.Session}, "tools="+strings.Join(args.Tools, ","))), nil
		})
	}
	another := &mcp.Resource{URI: "another:///one", Name: "another"}
	srv.AddResource(another, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: "nothing"}}}, nil
	})
	r := &mcp.Resource{URI: halvedURI, Name: "Tool descriptions", MIMEType: "application/json", Description: "Step 1: choose from tools/list. " +
		"Step 2: before a call read " + halvedURI + "?tools=NAME, for this session. Calls fail otherwise."}
	switch h.Row {
	case "C2":
		r.Name = "Things"
	case "P5":
		r.Description = "Read me."
	}
	srv.AddResource(r, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: h.read(req, "")}}}, nil
	})
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.ReadResourceRequest); ok {
				if _, query, ok := strings.Cut(r.Params.URI, "?"); ok {
					res := &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: h.read(r, query)}}}
					if res.CacheScope = "private"; h.is("PX3") {
						res.TTLMs = 1000
					}
					return res, nil
				}
			}
			return next(ctx, method, req)
		}
	})
	return srv
}

func (h *Disclosure) read(req *mcp.ReadResourceRequest, query string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	values, err := url.ParseQuery(query)
	if err != nil {
		return err.Error()
	}
	asked := values["tools"]
	if h.is("P26") {
		asked = asked[:min(1, len(asked))]
	}
	var names []string
	for name := range strings.SplitSeq(strings.Join(asked, ","), ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 && !h.is("C5") {
		return `{"error":{"code":"MISSING_TOOL_SELECTION","message":"You must specify one or more tool names in the 'tools' parameter.",` +
			`"examples":["` + halvedURI + `?tools=x"]}}`
	}
	if h.is("C3") {
		names = append(names, "locked")
	}
	m := map[string]any{}
	for _, name := range names {
		m[name] = h.entry(req, name)
	}
	return toJSON(m)
}

func (h *Disclosure) entry(req *mcp.ReadResourceRequest, name string) any {
	schema, ok := halvedTools[name]
	switch {
	case ok && (name != "secret" || h.is("P18")):
	case h.is("P19"):
		return map[string]any{"error": "What?"}
	default:
		return map[string]any{"error": fmt.Sprintf("Tool '%s' not found", name), "available_tools": []string{"find", "locked", "put"}}
	}
	h.authorise(req.Session, name)
	if h.is("C4") && name == "find" {
		schema = `{"type":"object","additionalProperties":true}`
	}
	return map[string]any{"name": name, "description": "All of " + name, "inputSchema": json.RawMessage(schema), "examples": []any{}, "error_guidance": map[string]string{"X": "y"}}
}

func (h *Disclosure) key(session any) any {
	if h.is("C8") {
		return nil
	}
	return session
}

func (h *Disclosure) authorise(session any, name string) {
	if h.fetched == nil {
		h.fetched = map[any]map[string]bool{}
	}
	key := h.key(session)
	if h.fetched[key] == nil {
		h.fetched[key] = map[string]bool{}
	}
	h.fetched[key][name] = true
}

func (h *Disclosure) call(req *mcp.CallToolRequest) *mcp.CallToolResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	name, fetched := req.Params.Name, h.fetched[h.key(req.Session)]
	var args map[string]any
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return oops("%v", err)
	}
	switch {
	case !fetched[name] && !(h.is("C6") && len(fetched) > 0):
		if h.is("C7") {
			return oops("read the description first")
		}
		r := spoken(`{"error":{"code":"TOOL_DESCRIPTION_REQUIRED","message":"Tool '` + name + `' requires fetching its description before use.",` +
			`"resource_uri":"` + halvedURI + `?tools=` + name + `"}}`)
		r.IsError = true
		return r
	case name == "locked":
		return oops("denied")
	case name == "find" && args["item_name"] == nil && !h.is("P25"):
		return oops("item_name is missing")
	}
	h.runs++
	return spoken("done")
}
