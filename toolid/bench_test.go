package toolid_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cash-mcp/go-sdk/toolid"
)

// schema is an ordinary one of about 500 bytes.
var schema = json.RawMessage(`{"type":"object","properties":{"owner":{"type":"string","description":"Owner of the repository."},` +
	`"repo":{"type":"string","description":"Name of the repository."},"title":{"type":"string","description":"Title of the issue, one line."},` +
	`"body":{"type":"string","description":"Text of the issue in Markdown."},"labels":{"type":"array","items":{"type":"string"}},` +
	`"assignees":{"type":"array","items":{"type":"string"}}},"required":["owner","repo","title"],"additionalProperties":false}`)

func BenchmarkFromTool(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := toolid.FromTool("github.create_issue", schema, ""); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJSONValid is what of BenchmarkFromTool goes to checking the schema.
func BenchmarkJSONValid(b *testing.B) {
	for b.Loop() {
		if !json.Valid(schema) {
			b.Fatal("invalid")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := toolid.Parse("github:create_issue@1.4.0#6c5f877d"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkString(b *testing.B) {
	id := toolid.ID{Namespace: "github", Name: "create_issue", Hash: "6c5f877d"}
	b.ReportAllocs()
	for b.Loop() {
		if id.String() == "" {
			b.Fatal("empty")
		}
	}
}

func BenchmarkFromTools(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			defs := make([]toolid.Definition, n)
			for i := range defs {
				defs[i] = toolid.Definition{Name: fmt.Sprintf("ns%d.some tool %d", i/100, i/2*2), InputSchema: schema}
				if i%2 == 0 {
					defs[i].Name = fmt.Sprintf("ns%d.some_tool_%d", i/100, i)
				}
			}
			for b.Loop() {
				if _, err := toolid.FromTools(defs, toolid.Mapping); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestParseAllocatesNothing holds that the parts of an id are parts of its text.
func TestParseAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		if _, err := toolid.Parse("github:create_issue@1.4.0#6c5f877d"); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("Parse allocates %v times", n)
	}
}
