package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A schema that is of no use leaves its tool there, with the reason; one that is
// only large is flagged and used.
func TestSchemas(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"properties":{"a":`, n) + `{}` + strings.Repeat(`}}`, n)
	}
	many := func(n int) string {
		var props []string
		for i := range n {
			props = append(props, fmt.Sprintf(`"p%d":{}`, i))
		}
		return `{"properties":{` + strings.Join(props, ",") + `}}`
	}
	limits := &catalog.Limits{Bytes: 400, Depth: 8, Properties: 20}
	for _, tt := range []struct {
		schema  string
		flags   string // empty for none
		problem bool
	}{
		{`null`, "", false},
		{`{}`, "", false},
		{`{"properties":{"a":{"type":"string"}}}`, "", false},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"type":"object"}}}`, "", false},
		{`{"type":"object","$ref":"#"}`, "inputSchema is not used: ", true},
		{`{"type":"array"}`, "inputSchema is not used: ", true},
		{`{"type":"nonsense"}`, "inputSchema is not used: ", true},
		{`{"type":"object","properties":[]}`, "inputSchema is not used: ", true},
		{`{"type":"object","properties":{"a":{"minimum":"x"}}}`, "inputSchema is not used: ", true},
		{`{"type":"object","$ref":"https://example.com/other.json"}`, "inputSchema is not used: ", true},
		{`true`, "inputSchema is not used: ", true},
		{nested(3), "", false},
		{nested(4), "inputSchema has 9 levels; more than 8 are not expected", false},
		{nested(40), "levels; more than 8", true},
		{many(20), "", false},
		{many(21), "inputSchema has 21 properties; more than 20 are not expected", false},
		{`{"description":"` + strings.Repeat("x", 382) + `"}`, "", false},
		{" { \"description\" : \"" + strings.Repeat("x", 383) + `"}`, "inputSchema has 401 bytes; more than 400 are not expected", false},
	} {
		doc := fmt.Sprintf(`[{"name":"x.y","inputSchema":%s,"result":"ran"},{"name":"other"}]`, tt.schema)
		c, report := load(t, &catalog.Options{Limits: *limits}, doc)
		if report.Tools != 2 || (report.Counts[catalog.Flagged] > 0) != (tt.flags != "") || !strings.Contains(report.String(), tt.flags) {
			t.Errorf("%.60s: %s", tt.schema, report)
		}
		f, err := c.Tools().Function(t.Context(), "x", "y")
		if err != nil || (f.Problem() != nil) != tt.problem {
			t.Errorf("%.60s: %v, the problem is %v", tt.schema, err, f.Problem())
		}
		if got := said(t, c.Tools(), f.Primitive().String(), `{}`); got != "ran" {
			t.Errorf("%.60s: got %s", tt.schema, got)
		}
		strict := catalog.New(&catalog.Options{Limits: *limits, Strict: true})
		if _, err := strict.Load([]byte(doc)); (err != nil) != (tt.flags != "") {
			t.Errorf("%.60s: strict: %v", tt.schema, err)
		}
	}
}

// The schema that is published is the one that is enforced, and the id is that
// of the schema as it was given.
func TestSchemaWithoutType(t *testing.T) {
	const schema = `{"properties":{"a":{"type":"string"}},"required":["a"]}`
	c, _ := load(t, nil, `[{"name":"x.y","inputSchema":`+schema+`,"result":"ran"},{"name":"x.z","inputSchema":{}}]`)
	f, err := c.Tools().Function(t.Context(), "x", "y")
	if err != nil {
		t.Fatal(err)
	}
	want, err := toolid.FromTool("x.y", json.RawMessage(schema), "")
	if err != nil || f.ID() != want || string(f.InputSchema()) != `{"type":"object",`+schema[1:] {
		t.Errorf("%s: %s, want %s, %v", f.ID(), f.InputSchema(), want, err)
	}
	if _, err := call(t, c.Tools(), f.ID().String(), `{}`); !errors.Is(err, registry.InvalidArguments) {
		t.Errorf("without a: %v", err)
	}
	if f, err := c.Tools().Function(t.Context(), "x", "z"); err != nil || string(f.InputSchema()) != `{"type":"object"}` {
		t.Errorf("%s, %v", f.InputSchema(), err)
	}
}

// Under Strict a document is taken as a whole or not at all.
func TestW6Strict(t *testing.T) {
	c, _ := load(t, &catalog.Options{Strict: true}, `{"tools":[{"name":"a","result":"old"}],"prompts":[{"name":"p"}]}`)
	for _, doc := range []string{
		`[{"name":"a","result":"new"},{"name":"A B"}]`,
		`[{"name":"a","result":"new"},{"name":"b","inputSchema":{"type":7}}]`,
		`[{"name":"a","result":"new"},{"name":"b"},{"name":"b"}]`,
		`[{"name":"a","result":"new"},{}]`,
		`{"tools":[{"name":"a","result":"new"}],"prompts":[{"name":"p"},{"name":"q?"}]}`,
		`{"tools":[{"name":"a","result":"new"}],"resources":[7]}`,
	} {
		report, err := c.Load([]byte(doc))
		if err == nil || report == nil || len(report.Findings) == 0 || !strings.Contains(err.Error(), "the catalog is refused: line 1: ") {
			t.Errorf("%s: %v, %v", doc, report, err)
		}
		if got := said(t, c.Tools(), id(t, c.Tools(), "a"), `{}`); got != "old" || len(ids(c.Prompts())) != 1 {
			t.Errorf("%s: the tool says %q", doc, got)
		}
	}
	if report, err := c.Load([]byte(`[{"name":"a","result":"new"}]`)); err != nil || report.Changed != 1 || report.Removed != 1 {
		t.Errorf("%v, %v", report, err)
	}
}
