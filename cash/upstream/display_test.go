package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// displayed are the members of one tool; the server "displays" lists a tool for each, by its number.
var displayed = []string{
	`"title":"\u001b[31mRed\u202e\nflag","icons":[{"src":"https://example.com/a.png","sizes":"48x48 any"}],"_meta":{"ui":{"resourceUri":"ui://a\u001b[31m/b"},"version":"1.2","n":1.50}`,
	`"annotations":{"title":"From annotations"}`,
	`"icons":[{"src":"javascript:alert(1)"},{"src":"data:text/html,x"},{"src":7},"x",{"src":"https://example.com/b.png"}]`,
	`"icons":[` + strings.TrimSuffix(strings.Repeat(`{"src":"https://example.com/b.png"},`, 9), ",") + `]`,
	`"icons":{"src":"https://example.com/b.png"},"_meta":[1]`,
	`"_meta":{"io.modelcontextprotocol/x":1,"cash/y":2,"\u0007cash/z":3,"kept":{"a":[1,2]}}`,
	`"_meta":{"a":"` + strings.Repeat("x", registry.MaxMeta) + `"},"version":"7"`,
	`"_meta":{"a":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`,
	`"_meta":{"a\u0007":1,"a":2}`,
	`"outputSchema":{"type":"object","$comment":"z","properties":{"b":{"type":"integer"},"a":{}}}`,
	`"outputSchema":{"type":"object","$ref":"#"}`,
	`"outputSchema":[]`,
	`"title":"` + strings.Repeat("t", 5000) + `"`,
	`"title":7`,
}

func init() {
	speeches["displays"] = func(r spoken, say func(string)) bool {
		if r.Method != "tools/list" {
			return false
		}
		var list []string
		for i, members := range displayed {
			list = append(list, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"},%s}`, i, members))
		}
		say(r.answer(`{"tools":[` + strings.Join(list, ",") + `]}`))
		return true
	}
}

// TestDisplay holds what of a title, icons, metadata and output schema of a server is passed through, and that the rest
// is left out with a note.
func TestDisplay(t *testing.T) {
	_, agg, reg := aggregate(t, nil, upstream.Server{Label: "up", Endpoint: stages(t, "displays")["stdio"]})
	notes := strings.Join(agg.Status()[0].Notes, "\n")
	for i, want := range []struct{ title, icons, meta, output, note string }{
		{`Red flag`, `[{"src":"https://example.com/a.png","sizes":["48x48","any"]}]`, `{"ui":{"resourceUri":"ui://a/b"},"version":"1.2","n":1.50}`, ``, ``},
		{`From annotations`, ``, ``, ``, ``},
		{``, `[{"src":"https://example.com/b.png"}]`, ``, ``, `icon number 1 is not used: the source is neither`},
		{``, `[` + strings.TrimSuffix(strings.Repeat(`{"src":"https://example.com/b.png"},`, 8), ",") + `]`, ``, ``, `icons are not used from number 9 on`},
		{``, ``, ``, ``, ``},
		{``, ``, `{"kept":{"a":[1,2]}}`, ``, ``},
		{``, ``, ``, ``, `the metadata is not used: it has`},
		{``, ``, ``, ``, ``}, // the tool is dropped, and so are those with members of a wrong type
		{``, ``, ``, ``, `the metadata is not used: `},
		{``, ``, ``, `{"type":"object","$comment":"z","properties":{"b":{"type":"integer"},"a":{}}}`, ``},
		{``, ``, ``, ``, `the output schema is not used: `},
		{``, ``, ``, ``, ``},
		{strings.Repeat("t", 199) + "…", ``, ``, ``, ``},
		{``, ``, ``, ``, ``},
	} {
		name := fmt.Sprintf("t%d", i)
		if noted := strings.Contains(notes, `tool "`+name+`": `+want.note); want.note != "" && !noted {
			t.Errorf("%s: no note %q in\n%s", name, want.note, notes)
		}
		f, err := reg.Function(context.Background(), "up", name)
		if err != nil {
			if i != 7 && i != 11 && i != 13 {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		icons := ""
		if f.Icons() != nil {
			icons = asJSON(f.Icons())
		}
		if f.Title() != want.title || icons != want.icons || string(f.Meta()) != want.meta || string(f.OutputSchema()) != want.output {
			t.Errorf("%s: title %q, icons %s, metadata %s, output schema %s", name, f.Title(), icons, f.Meta(), f.OutputSchema())
		}
	}
	if f, err := reg.Function(context.Background(), "up", "t6"); err != nil || f.ID().Version != "7" {
		t.Errorf("the version beside the name: %v, %v", f.ID(), err)
	}
}

// TestDisplayIsPinned holds that icons and metadata are covered by pins: a tool is quarantined when they change.
func TestDisplayIsPinned(t *testing.T) {
	for name, change := range map[string]func(*mcp.Tool){
		"icons":    func(tool *mcp.Tool) { tool.Icons = []mcp.Icon{{Source: "https://example.com/b.png"}} },
		"metadata": func(tool *mcp.Tool) { tool.Meta = mcp.Meta{"ui": map[string]any{"resourceUri": "ui://b"}} },
		"nothing":  func(*mcp.Tool) {},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pins.json")
			for round := range 2 {
				srv := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
				tool := &mcp.Tool{Name: "f", InputSchema: json.RawMessage(`{"type":"object"}`), Meta: mcp.Meta{"ui": map[string]any{"resourceUri": "ui://a"}},
					Icons: []mcp.Icon{{Source: "https://example.com/a.png"}}}
				if round == 1 {
					change(tool)
				}
				srv.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return new(mcp.CallToolResult), nil
				})
				_, agg, _ := aggregate(t, &upstream.Options{Pins: openPins(t, path), Mode: pin.FirstUse}, memory("up", srv))
				if got, want := len(agg.Status()[0].Quarantined), 0; round == 0 && got != want {
					t.Errorf("%d quarantined at first", got)
				} else if round == 1 && (got == 1) != (name != "nothing") {
					t.Errorf("%d quarantined after a change of %s", got, name)
				}
			}
		})
	}
}
