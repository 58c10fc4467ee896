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
