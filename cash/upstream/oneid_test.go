package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	files "github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A named tool is what a server reports of one.
type named struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Meta        map[string]any  `json:"_meta,omitempty"`
}

func tool(name, version string) named {
	n := named{Name: name, Description: "Do " + name + ".", InputSchema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"},"ä":{}},"required":["q"]}`)}
	if version != "" {
		n.Meta = map[string]any{"version": version}
	}
	return n
}

// serverOf returns a server that answers with the name of the called tool.
func serverOf(tools []named) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "any", Version: "1"}, nil)
	for _, n := range tools {
		srv.AddTool(&mcp.Tool{Name: n.Name, Description: n.Description, InputSchema: n.InputSchema, Meta: n.Meta},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "this is " + n.Name}}}, nil
			})
	}
	return srv
}

// madeUp returns distinct names with dots, dashes, camel case, letters of all scripts, at and over
// the 128 characters of an id.
func madeUp(n int) []named {
	r := rand.New(rand.NewPCG(4, 2))
	words := []string{"get", "User", "créer", "日本", "issue", "x9", "HTTP", "Ｇｅｔ", "list", "ß", "delete-all", "_id", "9"}
	versions := []string{"", "", "1.4.0", "2024-05", "v2", "1.0.0+build.7", strings.Repeat("9", 33)}
	seen := make(map[string]bool)
	var list []named
	for len(list) < n {
		name := words[r.IntN(len(words))]
		for range r.IntN(4) {
			name += []string{".", "-", "_", "", "/", " "}[r.IntN(6)] + words[r.IntN(len(words))]
		}
		switch len(list) % 20 {
		case 0:
			name = strings.Repeat("x", 126) + fmt.Sprintf("%02d", len(list)/20)
		case 1:
			name = strings.Repeat("y", 127) + fmt.Sprintf("%02d", len(list)/20)
		case 2:
			name = strings.Repeat("z.", 62) + fmt.Sprintf("ab%02d", len(list)/20)
		}
		if !seen[name] {
			seen[name] = true
			list = append(list, tool(name, versions[r.IntN(len(versions))]))
		}
	}
	return list
}

// idsByPath returns the ids of the functions, by path.
func idsByPath(reg *registry.Registry) map[string]string {
	list := make(map[string]string)
	for f := range reg.All() {
		list[f.Path()] = f.Primitive().String()
	}
	return list
}

// One tool has one id: live, from a catalog that names its server, exported and loaded again, and
// behind one and two servers. The id leads to the tool from everywhere.
func TestW5OneID(t *testing.T) {
	for _, label := range []string{"github", "eu.My_Hub"} {
		t.Run(label, func(t *testing.T) {
			rows := map[string]string{ // section 1.4
				"github.create_issue": "github:create_issue@1.4.0", "weather.get": "weather:get@2024-05",
				"slack_send_message": "slack_send_message#", "read_file": "read_file#", "get-user": "get-user@1",
			}
			tools := append(madeUp(200), tool("github.create_issue", "1.4.0"), tool("slack_send_message", ""), tool("read_file", ""), tool("weather.get", "2024-05"), tool("get-user", "1"))
			_, agg, live := aggregate(t, nil, memory(label, serverOf(tools)))
			want := make(map[string]string) // by tool
			for f := range live.All() {
				want[f.Tool()] = f.Primitive().String()
				if id, err := toolid.Parse(want[f.Tool()]); err != nil || id.Validate() != nil || f.ServerName() != label {
					t.Errorf("%q has the id %s, %v", f.Tool(), want[f.Tool()], err)
				}
			}
			if len(want) != len(tools) {
				t.Fatalf("%d of %d tools are served: %v", len(want), len(tools), agg.Status()[0].Notes)
			}
			for name, id := range rows {
				if !strings.HasSuffix(id, "#") && strings.Contains(id, ":") && want[name] != id || !strings.Contains(want[name], id) {
					t.Errorf("%s has the id %s, want %s", name, want[name], id)
				}
			}
			if label == "github" {
				hash, _ := toolid.Hash("read_file", tools[0].InputSchema)
				if want["read_file"] != "github:read_file#"+hash || want["get-user"] != "github:get-user@1" {
					t.Errorf("got %s and %s", want["read_file"], want["get-user"])
				}
			}

			doc, err := json.Marshal(map[string]any{"server_name": label, "tools": tools})
			if err != nil {
				t.Fatal(err)
			}
			same := func(what string, reg *registry.Registry) {
				got := make(map[string]string)
				for f := range reg.All() {
					got[f.Tool()] = f.Primitive().String()
				}
				if !maps.Equal(got, want) {
					t.Errorf("%s has %d other ids", what, len(different(want, got)))
					for _, line := range different(want, got)[:min(5, len(different(want, got)))] {
						t.Log(line)
					}
				}
			}
			file := loadCatalog(t, doc)
			same("a catalog", file)
			for what, reg := range map[string]*registry.Registry{"the live server": live, "the catalog": file} {
				exported := reexport(t, reg)
				same("what was exported of "+what, exported)
				same("what was exported again of "+what, reexport(t, exported))
			}

			// Behind levels, the paths are longer and the ids are the same.
			at, level := "", live
			for _, name := range []string{"one", "two"} {
				at = name + "." + at
				_, _, level = aggregate(t, nil, memory(name, cash.NewServer(level, nil)))
				got := idsByPath(level)
				for f := range live.All() {
					path := at + f.Path()
					if got[path] != f.Primitive().String() {
						t.Errorf("%s has the id %s, want %s", path, got[path], f.Primitive())
					}
				}
				all := slices.Sorted(maps.Values(got))
				if again := slices.Sorted(maps.Values(idsByPath(reexport(t, level)))); !slices.Equal(all, again) {
					t.Errorf("exported at level %s: %d ids, want %d", name, len(again), len(all))
				}
			}
			face := gateway.NewServer(level, nil)
			for name, id := range want {
				r, err := face.Execute(t.Context(), &gateway.ExecuteRequest{ID: id, Args: json.RawMessage(`{"q":"x"}`)})
				if err != nil || !strings.Contains(r.Text(), jsonText("this is "+name)) {
					t.Errorf("%s of %q: %v, %v", id, name, r, err)
				}
			}
		})
	}
}

func jsonText(text string) string {
	quoted, _ := json.Marshal(text)
	return strings.Trim(string(quoted), `"`)
}

func different(want, got map[string]string) (lines []string) {
	for name, id := range want {
		if got[name] != id {
			lines = append(lines, fmt.Sprintf("%q is %q, want %q", name, got[name], id))
		}
	}
	for name, id := range got {
		if want[name] == "" {
			lines = append(lines, fmt.Sprintf("%q is %q, want none", name, id))
		}
	}
	return lines
}

func loadCatalog(t *testing.T, doc []byte) *registry.Registry {
	t.Helper()
	c := files.New(nil)
	if report, err := c.Load(doc); err != nil || report.Counts[files.Refused] > 0 {
		t.Fatal(err, report)
	}
	return c.Tools()
}

func reexport(t *testing.T, reg *registry.Registry) *registry.Registry {
	t.Helper()
	doc, err := files.Export(t.Context(), reg, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return loadCatalog(t, doc)
}

// Two servers with a right to one id both take their labels, and everybody is told so.
func TestW6OneIDOfTwoServers(t *testing.T) {
	_, agg, reg := aggregate(t, nil,
		memory("alpha", serverOf([]named{tool("files.read", "1"), tool("other", "1")})),
		memory("beta", serverOf([]named{tool("files.read", "1"), tool("alpha.other", "1")})))
	got := idsByPath(reg)
	for path, want := range map[string]string{
		"alpha.files.read": "alpha:files.read@1", "beta.files.read": "beta:files.read@1",
		"alpha.other": "alpha:other@1", "beta.alpha.other": "beta:alpha.other@1",
	} {
		if got[path] != want {
			t.Errorf("%s has the id %s, want %s", path, got[path], want)
		}
	}
	face := gateway.NewServer(reg, nil)
	for id, name := range map[string]string{"alpha:files.read@1": "files.read", "beta:alpha.other@1": "alpha.other", "alpha:other@1": "other"} {
		if r, err := face.Execute(t.Context(), &gateway.ExecuteRequest{ID: id, Args: json.RawMessage(`{"q":""}`)}); err != nil || !strings.Contains(r.Text(), "this is "+name) {
			t.Errorf("%s: %v, %v", id, r, err)
		}
	}
	report, err := face.Refresh(t.Context())
	if err != nil || report.Tools != 4 || !strings.Contains(report.String(), "alpha:files.read@1: another function has a right to the id files:read@1 of alpha.files.read too") {
		t.Errorf("the report is %v, %v", report, err)
	}
	for _, s := range agg.Status() {
		if !strings.Contains(strings.Join(s.Notes, "\n"), s.Labels[0]+":files.read@1") {
			t.Errorf("the notes are %q", s.Notes)
		}
	}
	if err := agg.Remove("beta"); err != nil {
		t.Fatal(err)
	}
	if got := idsByPath(reg)["alpha.files.read"]; got != "files:read@1" {
		t.Errorf("alone, it has the id %s", got)
	}
}

// Of tools that differ in case and underscores alone, each gets its own calls, whatever comes and goes.
func TestNeverTheOtherTool(t *testing.T) {
	srv := serverOf([]named{tool("createIssue", "1"), tool("hub.get-user", ""), tool("hub.get_user", "")})
	face, agg, reg := aggregate(t, nil, memory("hub", srv))
	call := func(ns, name string) string {
		r, err := face.Call(t.Context(), &cash.CallRequest{Namespace: ns, Function: name, Kwargs: json.RawMessage(`{"q":""}`)})
		if err != nil {
			return "-"
		}
		return strings.TrimPrefix(r.Text(), "this is ")
	}
	wants := func(names map[string]string) {
		t.Helper()
		for name, want := range names {
			if got := call("hub", name); got != want {
				t.Errorf("hub.%s is %s, want %s", name, got, want)
			}
		}
	}
	change := func(f func()) {
		t.Helper()
		f()
		if err := agg.Refresh(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
	}
	wants(map[string]string{"createIssue": "createIssue", "create_issue": "createIssue", "get_user": "hub.get_user"})
	add := func(name string) {
		n := tool(name, "1")
		srv.AddTool(&mcp.Tool{Name: name, InputSchema: n.InputSchema, Meta: n.Meta}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "this is " + name}}}, nil
		})
	}
	change(func() { add("create_issue") })
	first := idsByPath(reg)
	wants(map[string]string{"createIssue": "createIssue", "create_issue": "create_issue", "CreateIssue": "-", "createissue": "-"})
	for _, id := range []string{"hub:createIssue@1", "hub:create_issue@1"} {
		r, err := gateway.NewServer(reg, nil).Execute(t.Context(), &gateway.ExecuteRequest{ID: id, Args: json.RawMessage(`{"q":""}`)})
		if name := strings.TrimSuffix(strings.TrimPrefix(id, "hub:"), "@1"); err != nil || !strings.Contains(r.Text(), "this is "+name+`"`) {
			t.Errorf("%s: %v, %v", id, r, err)
		}
	}
	change(func() { add("CREATE_ISSUE") })
	wants(map[string]string{"createIssue": "createIssue", "create_issue": "create_issue", "CREATE_ISSUE": "CREATE_ISSUE", "createissue": "-"})
	for path, id := range first {
		if idsByPath(reg)[path] != id {
			t.Errorf("%s was %s and is %s", path, id, idsByPath(reg)[path])
		}
	}
	// The same behind another server, which knows only what this one tells.
	face, _, _ = aggregate(t, nil, memory("far", cash.NewServer(reg, nil)))
	for _, name := range []string{"createIssue", "create_issue", "CREATE_ISSUE"} {
		if got := call("far.hub", name); got != name {
			t.Errorf("far.hub.%s is %s", name, got)
		}
	}
	if got := call("far.hub", "createissue"); got != "-" {
		t.Errorf("far.hub.createissue is %s", got)
	}
}

// Names with dots nest, below the label of their server; version, tags and costs are passed on.
func TestNestedNamesAndFacts(t *testing.T) {
	n := tool("github.issues.create", "1.4.0")
	n.Meta["tags"], n.Meta["costHint"] = []string{"billing", "read-only", "Pii"}, 0.25
	for _, test := range []struct {
		label, path string
	}{{"github", "github.issues.create"}, {"gh", "gh.github.issues.create"}} {
		server := memory(test.label, serverOf([]named{n, tool("a..b", ""), tool("v1.2.", "")}))
		face, _, reg := aggregate(t, nil, server)
		i := strings.LastIndexByte(test.path, '.')
		f, err := reg.Function(t.Context(), test.path[:i], test.path[i+1:])
		if err != nil {
			t.Fatal(err)
		}
		if f.ID().String() != "github:issues.create@1.4.0" || f.CostHint() != 0.25 || strings.Join(f.Tags(), " ") != "billing Pii" || f.ReadOnly() {
			t.Errorf("%s: %s, %v, %q", f.Path(), f.ID(), f.CostHint(), f.Tags())
		}
		if _, err := face.Call(t.Context(), &cash.CallRequest{Namespace: test.path[:i], Function: "create", Kwargs: json.RawMessage(`{"q":""}`)}); err != nil {
			t.Error(err)
		}
		gw := gateway.NewServer(reg, nil)
		for _, req := range []*gateway.BrowseRequest{
			{Path: "/" + strings.ReplaceAll(test.path[:i], ".", "/")}, {Path: "/" + strings.ReplaceAll(test.path, ".", "/")},
			{Path: "/" + strings.ReplaceAll(test.path[:i], ".", "/") + "/*?tag=pii&tag=billing"}, {Query: "create issues tag=BILLING"},
			{Query: "tag=pii"}, {Query: "billing"},
		} {
			cards, err := gw.Browse(t.Context(), req)
			if err != nil || len(cards) != 1 || cards[0].ID != "github:issues.create@1.4.0" || cards[0].CostHint != 0.25 {
				t.Errorf("%+v gives %v, %v", req, cards, err)
			}
		}
		server.IgnoreHints = true
		_, _, reg = aggregate(t, nil, server)
		if f, err := reg.Function(t.Context(), test.path[:i], test.path[i+1:]); err != nil || len(f.Tags()) > 0 || f.CostHint() > 0 || f.ID().Version != "1.4.0" {
			t.Errorf("%v, %v", f, err)
		}
	}
}
