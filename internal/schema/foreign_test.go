package schema_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// TestParseForeign holds that type words that are none accept every value, are shown, and are the problem of the
// schema, and that all other rules hold.
func TestParseForeign(t *testing.T) {
	doc := []byte(`{"type":"object","properties":{"city":{"type":"str","minLength":2},"days":{"type":["int","null"]},"ok":{"type":"boolean"}},"required":["ok"]}`)
	if _, err := schema.Parse(doc); err == nil {
		t.Error("Parse takes it")
	}
	s, err := schema.ParseForeign(doc)
	if err != nil || s.Problem() == nil || !strings.Contains(s.Problem().Error(), "#/properties/city/type") || !s.Enforceable() {
		t.Fatalf("%v, problem %v", err, s.Problem())
	}
	types := ""
	for _, p := range s.Params() {
		types += p.Name + "=" + p.Type + " "
	}
	if types != "city=str days=int or null ok=boolean " {
		t.Errorf("shown as %s", types)
	}
	for data, wrong := range map[string]string{
		`{"ok":true,"city":7,"days":"many"}`: "", `{"ok":true,"city":"x"}`: "city", `{"ok":1}`: "ok", `{}`: "ok",
	} {
		err := s.Check(context.Background(), []byte(data))
		if (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", data, err)
		}
	}
	for _, doc := range []string{
		`{"oneOf":[{"type":"str"},{"type":"int"}]}`, `{"properties":{"a":{"not":{"type":"str"}}}}`, `{"if":{"type":"str"},"then":false}`,
	} {
		if s, err := schema.ParseForeign([]byte(doc)); err != nil || s.Enforceable() {
			t.Errorf("%s is enforceable: %v", doc, err)
		}
	}
	for _, doc := range []string{`{"type":7}`, `{"type":["str",7]}`, `{"type":[]}`, `{"minimum":"x","type":"str"}`} {
		if _, err := schema.ParseForeign([]byte(doc)); err == nil {
			t.Errorf("%s is taken", doc)
		}
	}
	if s, err := schema.ParseForeign([]byte(`{"oneOf":[{"type":"string"}]}`)); err != nil || s.Problem() != nil || !s.Enforceable() {
		t.Errorf("a valid schema: %v", err)
	}
}
