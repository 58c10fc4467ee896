//go:build realclients

package realclients

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// tool is a tool as its server lists it.
type tool struct {
	Name                      string
	Description               string
	InputSchema, OutputSchema json.RawMessage
	Annotations               struct{ ReadOnlyHint, IdempotentHint bool }
}

func (c *client) list(t *testing.T) []tool {
	t.Helper()
	var all []tool
	params := new(mcp.ListToolsParams)
	for {
		res, err := c.ListTools(t.Context(), params)
		if err != nil {
			t.Fatalf("listing the tools: %v", err)
		}
		var page struct{ Tools []tool }
		if err := json.Unmarshal(c.tap.result(), &page); err != nil {
			t.Fatalf("reading the list of tools: %v", err)
		}
		all = append(all, page.Tools...)
		if params.Cursor = res.NextCursor; params.Cursor == "" {
			return all
		}
	}
}

var notOfLabels = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// functionOf is the name of the function that a tool becomes.
func functionOf(tool string) string { return notOfLabels.ReplaceAllString(tool, "_") }

// Every tool is a function, by a name that follows from its own, with the very
// bytes of its schema, and there is nothing else.
func TestW37FunctionsAreTheTools(t *testing.T) {
	for _, s := range []server{everything(), files(t), memory(t)} {
		t.Run(s.label, func(t *testing.T) {
			checkFunctions(t, s.direct(t).list(t), mount(t, upstream.Server{Label: s.label, Endpoint: s.endpoint()}))
		})
	}
	for _, way := range ways[1:] {
		t.Run("everything over "+way.name, func(t *testing.T) {
			checkFunctions(t, everything().direct(t).list(t), mount(t, upstream.Server{Label: "everything", Endpoint: way.reach(t)}))
		})
	}
}

func checkFunctions(t *testing.T, tools []tool, m *mounted) {
	functions := make(map[string]*registry.Function)
	err := registry.Walk(t.Context(), m.reg, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			functions[f.Name()] = f
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		name := functionOf(tool.Name)
		f := functions[name]
		if f == nil {
			t.Errorf("tool %s is not there", tool.Name)
			continue
		}
		delete(functions, name)
		if got := string(f.InputSchema()); got != string(tool.InputSchema) {
			t.Errorf("%s: the schema is\n%s\nand that of the server\n%s", name, got, tool.InputSchema)
		}
		if f.Description() != strings.TrimSpace(tool.Description) {
			t.Errorf("%s: the description is %q, and that of the server %q", name, f.Description(), tool.Description)
		}
		if f.ReadOnly() != tool.Annotations.ReadOnlyHint || f.Idempotent() != tool.Annotations.IdempotentHint {
			t.Errorf("%s: read-only %t, idempotent %t; the server says %+v", name, f.ReadOnly(), f.Idempotent(), tool.Annotations)
		}
	}
	for name := range functions {
		t.Errorf("function %s is of no tool", name)
	}
	if s := m.agg.Status()[0]; s.Functions != len(tools) || len(s.Quarantined) != 0 || s.Kind != upstream.Plain {
		t.Errorf("status: %d functions of a server of kind %v, %d in quarantine, want %d", s.Functions, s.Kind, len(s.Quarantined), len(tools))
	}
}
