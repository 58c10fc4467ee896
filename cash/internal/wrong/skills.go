package wrong

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// SkillsRows are the rows that a [Skills] breaks.
var SkillsRows = strings.Fields("declared listed pages cached names get files limits digests frontmatter dynamic directories unknown harmless agree")

// A Skills is a CaSH server with the skills extension, written on the SDK alone.
type Skills struct {
	Row string // that it breaks, without skills/; undeclared: it does not declare the extension
}

func (o *Skills) is(row string) bool { return o.Row == row }

type (
	extParams struct {
		mcp.ParamsBase
		URI    string `json:"uri"`
		Cursor string `json:"cursor"`
	}
	extResult struct {
		mcp.ResultBase
		body map[string]any
	}
)

// MarshalJSON implements [json.Marshaler].
func (r *extResult) MarshalJSON() ([]byte, error) { return json.Marshal(r.body) }

func refusal(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// files returns what the library has, by URI.
func (o *Skills) files() map[string]string {
	body := "Read references/more.md.\n"
	if o.is("harmless") {
		body += "\n```bash\nrm -rf /\n```\n"
	}
	about := "Restock an item."
	if o.is("names") {
		about = `""`
	}
	files := map[string]string{
		"skill://shop/restock/SKILL.md":           "---\nname: restock\ndescription: " + about + "\n---\n" + body,
		"skill://shop/restock/references/more.md": "More.\n",
		"skill://shop/greet/SKILL.md":             "---\nname: greet\ndescription: Greet.\n---\nGreet nobody.\n",
	}
	if o.is("limits") {
		for i := range 512 {
			files[fmt.Sprintf("skill://shop/restock/references/%d.md", i)] = "More.\n"
		}
	}
	return files
}

// entries returns the entries by URI.
func (o *Skills) entries() map[string]map[string]any {
	var list []map[string]any
	files := o.files()
	for _, uri := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(uri, "skill://shop/restock/") || o.is("files") && strings.HasSuffix(uri, "SKILL.md") {
			continue
		}
		digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(files[uri])))
		if o.is("digests") && strings.HasSuffix(uri, "more.md") {
			digest = "sha256:" + strings.Repeat("0", 64)
		}
		list = append(list, map[string]any{"uri": uri, "digest": digest, "size": len(files[uri])})
	}
	restock := map[string]any{"name": "restock", "description": "Restock an item."}
	greet := map[string]any{"name": "greet", "description": "Greet."}
	switch o.Row {
	case "frontmatter":
		restock["license"] = "MIT"
	case "dynamic":
		greet["description"] = "Greet all."
	case "names":
		restock["description"] = ""
	}
	entries := map[string]map[string]any{
		"skill://shop/restock/SKILL.md": {"uri": "skill://shop/restock/SKILL.md", "frontmatter": restock, "resources": list},
		"skill://shop/greet/SKILL.md":   {"uri": "skill://shop/greet/SKILL.md", "frontmatter": greet, "resources": "dynamic"},
	}
	if o.is("agree") {
		delete(entries, "skill://shop/greet/SKILL.md")
		entries["skill://shop/bye/SKILL.md"] = map[string]any{
			"uri": "skill://shop/bye/SKILL.md", "frontmatter": map[string]any{"name": "bye", "description": "Greet."}, "resources": "dynamic",
		}
	}
	return entries
}

// result adds the fields of all results.
func (o *Skills) result(body map[string]any) *extResult {
	body["resultType"] = "complete"
	if !o.is("cached") {
		body["ttlMs"], body["cacheScope"] = 0, "public"
	}
	return &extResult{body: body}
}

func (o *Skills) list(_ context.Context, _ *mcp.ServerSession, p *extParams) (*extResult, error) {
	entries := o.entries()
	uris := slices.Sorted(maps.Keys(entries))
	n := 0
	if p != nil && p.Cursor != "" {
		if _, err := fmt.Sscan(p.Cursor, &n); err != nil {
			return nil, refusal("no such cursor")
		}
	}
	if o.is("pages") && n >= len(uris) {
		n = len(uris) - 1
	}
	body := map[string]any{"skills": []any{entries[uris[n]]}}
	if n+1 < len(uris) || o.is("pages") {
		body["nextCursor"] = fmt.Sprint(n + 1)
	}
	r := o.result(body)
	if o.is("listed") {
		r.body["resultType"] = "partial"
	}
	return r, nil
}

func (o *Skills) get(_ context.Context, _ *mcp.ServerSession, p *extParams) (*extResult, error) {
	e := o.entries()[p.URI]
	if e == nil {
		return nil, refusal("no such skill")
	}
	if o.is("get") {
		e["resources"] = "dynamic"
	}
	return o.result(map[string]any{"skill": e}), nil
}

func (o *Skills) directory(_ context.Context, _ *mcp.ServerSession, p *extParams) (*extResult, error) {
	children := make(map[string]any)
	for uri := range o.files() {
		rest, in := strings.CutPrefix(uri, p.URI+"/")
		name, _, deeper := strings.Cut(rest, "/")
		at := p.URI + "/" + name
		switch {
		case !in, o.is("files") && at == "skill://shop/restock/SKILL.md":
		case deeper && !o.is("directories"):
			children[at] = map[string]any{"uri": at, "name": name, "mimeType": "inode/directory"}
		case !deeper:
			children[at] = map[string]any{"uri": at, "name": name, "mimeType": "text/markdown"}
		}
	}
	if len(children) == 0 {
		return nil, refusal("no such directory")
	}
	return o.result(map[string]any{"resources": slices.Collect(maps.Values(children))}), nil
}

func (o *Skills) read(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := req.(*mcp.ReadResourceRequest); ok {
			text, ok := o.files()[r.Params.URI]
			switch {
			case !ok && o.is("unknown"):
				return nil, &jsonrpc.Error{Code: -32002, Message: "no such resource"}
			case !ok && o.is("agree") && r.Params.URI == "skill://shop/bye/SKILL.md":
				text = "---\nname: bye\ndescription: Greet.\n---\nBye.\n"
			case !ok:
				return nil, refusal("no such resource")
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/markdown", Text: text}}}, nil
		}
		res, err := next(ctx, method, req)
		switch r := res.(type) {
		case *mcp.InitializeResult:
			o.declare(r.Capabilities)
		case *mcp.DiscoverResult:
			o.declare(r.Capabilities)
		}
		return res, err
	}
}

func (o *Skills) declare(c *mcp.ServerCapabilities) {
	if o.is("undeclared") {
		return
	}
	c.AddExtension("io.modelcontextprotocol/skills", map[string]any{"directoryRead": true})
	if !o.is("declared") {
		c.Resources = new(mcp.ResourceCapabilities)
	}
}

// Run serves one connection.
func (o *Skills) Run(ctx context.Context, t mcp.Transport) error { return o.New().Run(ctx, t) }

// New returns the server of one connection.
func (o *Skills) New() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	srv.AddTool(&mcp.Tool{Name: "skill", InputSchema: json.RawMessage(`{"type":"object"}`)}, o.skill)
	for method, handler := range map[string]func(context.Context, *mcp.ServerSession, *extParams) (*extResult, error){
		"skills/list": o.list, "skills/get": o.get, "resources/directory/read": o.directory,
	} {
		if err := mcp.AddReceivingCustomMethod(srv, method, handler); err != nil {
			panic(err) // the methods are none of MCP
		}
	}
	srv.AddReceivingMiddleware(o.read)
	return srv
}

func (o *Skills) skill(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a map[string]string
	if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
		return nil, err
	}
	if a["skillname"] == "" {
		if a["namespace"] == "" {
			return spoken("# Skills\n\n## Namespaces with skills\n\n- **shop** — 2 skills.\n"), nil
		}
		return spoken("# Skills in shop\n\n- **greet** — Greet.\n- **restock** — Restock an item.\n"), nil
	}
	_, text, ok := strings.Cut(o.files()["skill://shop/"+a["skillname"]+"/SKILL.md"], "\n---\n")
	if !ok {
		return oops("no such skill"), nil
	}
	return spoken(text), nil
}
