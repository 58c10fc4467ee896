package upstream_test

import (
	"encoding/json"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/toolid"
)

// FuzzReadPrimitives reads lists of resources and prompts: every one that is
// read has an id of its own that is valid, and a schema of an object.
func FuzzReadPrimitives(f *testing.F) {
	for _, seed := range []string{
		`[]`, `null`, `[{"uri":"a:b","name":"x","title":"X","description":"D","mimeType":"text/plain"}]`,
		`[{"uri":"a:b"},{"uri":"a:b"},{"uri":"a:c","name":"x"},{"uri":"a:d","name":"x"}]`,
		`[{"name":"a b"},{"name":"a/b"},{"name":"a_b_2"},{"name":"p","arguments":[{"name":"x","required":true},{"name":"_x","description":"\u202e"}]}]`,
	} {
		f.Add(seed, "fs", false)
		f.Add(seed, "a.b_c.D", true)
	}
	f.Fuzz(func(t *testing.T, list, label string, prompts bool) {
		kind := toolid.Resource
		if prompts {
			kind = toolid.Prompt
		}
		schemas, dropped, ok := upstream.ReadPrimitives(kind, label, json.RawMessage(list))
		if ok != (json.Valid([]byte(list)) && strictjson.KindOf([]byte(list)) == strictjson.Array) {
			t.Errorf("a list: %v", ok)
		}
		for id, schema := range schemas {
			if again, err := toolid.ParsePrimitive(id.String()); err != nil || again != id || id.Kind != kind {
				t.Errorf("the id %q reads %v, %v", id, again, err)
			}
			if !json.Valid(schema) || strictjson.KindOf(schema) != strictjson.Object {
				t.Errorf("the schema of %s is %s", id, schema)
			}
		}
		for _, line := range dropped {
			for _, r := range line {
				if hostile(r) || r == '\n' {
					t.Errorf("dropped %q", line)
				}
			}
		}
	})
}
