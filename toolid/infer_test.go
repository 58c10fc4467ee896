package toolid_test

import (
	"encoding/json"
	"testing"

	"github.com/cash-mcp/go-sdk/toolid"
)

// TestToolVectors holds W1 to W3 and W5's strict form.
func TestToolVectors(t *testing.T) {
	for _, v := range vectors[struct {
		Name    string          `json:"upstream_name"`
		Schema  json.RawMessage `json:"input_schema"`
		Version string
		ID      string `json:"tool_id"`
		Error   bool
	}](t, "tool_id") {
		id, err := toolid.FromTool(v.Name, v.Schema, v.Version)
		switch {
		case v.Error && err == nil:
			t.Errorf("W5: FromTool(%q, %s, %q) = %s; want an error", v.Name, v.Schema, v.Version, id)
		case v.Error:
		case err != nil:
			t.Errorf("W3: %v", err)
		case id.String() != v.ID:
			t.Errorf("W3: FromTool(%q, %s, %q) = %s; want %s", v.Name, v.Schema, v.Version, id, v.ID)
		default:
			if again, err := toolid.Parse(v.ID); err != nil || again != id {
				t.Errorf("W4: %s is parsed as %+v, %v; want %+v", v.ID, again, err, id)
			}
		}
	}
}

func TestInfer(t *testing.T) {
	for _, tt := range []struct{ row, name, namespace, derived string }{
		{"W1", "a.b_c_d/e", "a", ""}, // the slash stays, and is outside the grammar
		{"W1", "x_y_z.w", "x_y_z", "w"},
		{"W1", "a/b_c_d", "a", "b_c_d"},
		{"W1", "a_b", "mcp", "a_b"},
		{"W1", "a_b_c", "a", "a_b_c"},
		{"W1", "a__", "a", "a__"},
		{"W1", "_a_b", "mcp", "_a_b"},
		{"W1", "___", "mcp", "___"},
		{"W1", "mcp.x", "mcp", "x"},
		{"W2", "foo.", "foo", "foo."},
		{"W2", "a.b.c", "a", "b.c"},
		{"W2", "a/b.c", "a/b", ""},
		{"W5", "", "", ""},
		{"W5", "A.b", "", ""},
	} {
		id, err := toolid.FromTool(tt.name, nil, "1")
		if tt.derived == "" {
			if err == nil {
				t.Errorf("%s: FromTool(%q) = %s; want an error", tt.row, tt.name, id)
			}
			continue
		}
		if err != nil || id.Namespace != tt.namespace || id.Name != tt.derived {
			t.Errorf("%s: FromTool(%q) = %+v, %v; want %s and %s", tt.row, tt.name, id, err, tt.namespace, tt.derived)
		}
	}
}

// TestVersionHidesSchema holds that with a version the schema does not count.
func TestVersionHidesSchema(t *testing.T) {
	for _, schema := range []string{"", "{", `{"properties":7}`, `{"properties":{"a":{}}}`} {
		id, err := toolid.FromTool("svc.op", json.RawMessage(schema), "2")
		if err != nil || id.String() != "svc:op@2" {
			t.Errorf("W3: with schema %s: %s, %v", schema, id, err)
		}
	}
}
