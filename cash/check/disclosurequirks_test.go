package check

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A halved is a server of two-stage disclosure of another maker, with one mistake
// if quirk names a row.
type halved struct {
	quirk string
	tool  string // what the tool with the descriptions answers in place of them; "same" is as the resource; empty is no tool

	mu      sync.Mutex
	runs    int
	fetched map[any]map[string]bool // by session
}

func (h *halved) is(row string) bool { return h.quirk == row }

const halvedURI = "docs:///tool_descriptions"

var halvedTools = map[string]string{
	"find":   `{"type":"object","properties":{"item_name":{"type":"string"}},"required":["item_name"]}`,
	"put":    `{"type":"object","properties":{"amount":{"type":"integer"}}}`,
	"secret": `{"type":"object"}`,
	"locked": `{"type":"object"}`,
}

func (h *halved) Run(ctx context.Context, t mcp.Transport) error {
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
	if h.tool != "" {
		srv.AddTool(&mcp.Tool{
			Name: descriptionsTool, Description: "Full descriptions.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"tools":{"type":"array","items":{"type":"string"}}}}`),
		}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args struct{ Tools []string }
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil || h.tool != "same" {
				return spoken(h.tool), err
			}
			return spoken(h.read(&mcp.ReadResourceRequest{Session: req.Session}, "tools="+strings.Join(args.Tools, ","))), nil
		})
	}
	srv.AddResource(&mcp.Resource{URI: "another:///one", Name: "another"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: "nothing"}}}, nil
	})
	r := &mcp.Resource{URI: halvedURI, Name: "Tool descriptions", MIMEType: "application/json", Description: "Step 1: choose from tools/list. " +
		"Step 2: before a call read " + halvedURI + "?tools=NAME, for this session. Calls fail otherwise."}
	switch h.quirk {
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
	return srv.Run(ctx, t)
}

func (h *halved) read(req *mcp.ReadResourceRequest, query string) string {
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

func (h *halved) entry(req *mcp.ReadResourceRequest, name string) any {
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

func (h *halved) key(session any) any {
	if h.is("C8") {
		return nil
	}
	return session
}

func (h *halved) authorise(session any, name string) {
	if h.fetched == nil {
		h.fetched = map[any]map[string]bool{}
	}
	key := h.key(session)
	if h.fetched[key] == nil {
		h.fetched[key] = map[string]bool{}
	}
	h.fetched[key][name] = true
}

func (h *halved) call(req *mcp.CallToolRequest) *mcp.CallToolResult {
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

// TestDisclosureTool: a tool with the descriptions is not one to describe. It answers as the resource does.
func TestDisclosureTool(t *testing.T) {
	if o := halve(t, &halved{tool: "same"}, true); len(o.failed) > 0 || len(o.ran) != len(disclosureChecks) {
		t.Errorf("a sound server fails %v, of %v", o.failed, o.ran)
	}
	for _, answer := range []string{"{}", "no", `{"find":{"name":"find","description":"All of find","inputSchema":{}}}`} {
		if o := halve(t, &halved{tool: answer}, false); !slices.Equal(o.rows(), []string{"C4"}) {
			t.Errorf("%s: failed %v", answer, o.failed)
		}
	}
}

func halve(t *testing.T, h *halved, strict bool) findings {
	t.Helper()
	report, err := Disclosure(t.Context(), DisclosureTarget{
		Transport: func() mcp.Transport { return inMemory(h) },
		Strict:    strict,
		Call:      &ToolCall{"find", map[string]string{"item_name": "tea"}},
		Other:     &ToolCall{"put", map[string]int{"amount": 1}},
		Invalid:   map[string]int{"x": 1},
		Hidden:    "secret",
		Denied:    &ToolCall{"locked", nil},
		Runs:      func() int { h.mu.Lock(); defer h.mu.Unlock(); return h.runs },
	})
	if err != nil {
		t.Fatal(err)
	}
	return findingsOf(report)
}

// TestDisclosureQuirks: each mistake fails its own row and no other.
func TestDisclosureQuirks(t *testing.T) {
	if o := halve(t, &halved{}, true); len(o.failed) > 0 || len(o.ran) != len(disclosureChecks) {
		t.Errorf("a sound server fails %v, of %v; %v", o.failed, o.ran, o.unchecked)
	}
	recommended := []string{"P19", "P26", "PX3"}
	for _, c := range disclosureChecks {
		if o := halve(t, &halved{quirk: c.row}, slices.Contains(recommended, c.row)); !slices.Equal(o.rows(), []string{c.row}) {
			t.Errorf("%s: failed %v", c.row, o.failed)
		}
	}
}

// TestDisclosureNotChecked: without samples nothing is passed over in silence.
func TestDisclosureNotChecked(t *testing.T) {
	report, err := Disclosure(t.Context(), DisclosureTarget{Transport: func() mcp.Transport { return inMemory(&halved{}) }})
	if err != nil {
		t.Fatal(err)
	}
	o := findingsOf(report)
	if len(o.ran)+len(o.unchecked) != len(disclosureChecks) || len(o.unchecked) != 5 {
		t.Errorf("%d ran, and not: %q", len(o.ran), o.unchecked)
	}
	if _, err := Disclosure(t.Context(), DisclosureTarget{}); err == nil {
		t.Error("no error without a transport")
	}
}
