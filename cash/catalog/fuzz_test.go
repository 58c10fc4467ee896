package catalog_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// FuzzLoad holds of any document: it is refused, or all that the report counts
// is found by id and answers a call, and loading it again changes nothing.
func FuzzLoad(f *testing.F) {
	for _, doc := range []string{
		`[]`, `{"tools":[{"name":"a.b","version":"1"},{"name":"a/b","version":"1"},{"name":"A b"},{"name":"a","result":{"content":[{}]}}]}`,
		`[{"name":"f","inputSchema":{"type":"object","properties":{"a":{"default":1}},"required":["a"]},"results":[{"arguments":{},"result":[]}]}]`,
		`{"resources":[{"uri":"a:b","text":"x"},{"uri":"c","blob":"AA=="},{"uri":"a:b"}],"prompts":[{"name":"p","arguments":[{"name":"x"}],"messages":[{"content":"{{x}}"}]}]}`,
		`{"tools":[{"name":"x","inputSchema":{"$ref":"#"}},7,{"name":"\u202ex","_meta":{"version":"?"},"annotations":{"tags":["t"]}}],"tools2":{}}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := catalog.New(nil)
		report, err := c.Load(data)
		if err != nil {
			if report != nil {
				t.Errorf("refused, with a report: %v", err)
			}
			return
		}
		if text := report.String(); len(report.Findings) > 1000 || len(text) > 1000*500 || strings.Count(text, "\n") > 1001 {
			t.Errorf("the report has %d findings and %d bytes", len(report.Findings), len(text))
		}
		counts := []int{report.Tools, report.Resources, report.Prompts}
		for i, reg := range []*registry.Registry{c.Tools(), c.Resources(), c.Prompts()} {
			p := registry.NewPipeline(reg, nil)
			n := 0
			for g := range reg.All() {
				n++
				found, err := registry.Find(t.Context(), reg, g.Primitive())
				if err != nil || found != g {
					t.Fatalf("%s: %v", g.Primitive(), err)
				}
				if again, err := toolid.ParsePrimitive(g.Primitive().String()); err != nil || again != g.Primitive() {
					t.Fatalf("%s: %v", g.Primitive(), err)
				}
				for _, args := range []string{`{}`, `{"x":"y"}`} {
					r, err := p.Call(t.Context(), &registry.Request{Find: registry.Found(g), Arguments: json.RawMessage(args)})
					if err != nil && !errors.Is(err, registry.Failed) && !errors.Is(err, registry.InvalidArguments) {
						t.Fatalf("%s: %v", g.Primitive(), err)
					}
					if err == nil {
						quote(r.Content)
					}
				}
			}
			if n != counts[i] {
				t.Errorf("%d are there, and the report has %d", n, counts[i])
			}
		}
		before := ids(c.Tools())
		again, err := c.Load(data)
		if err != nil || again.Added+again.Changed+again.Removed != 0 || !maps.Equal(before, ids(c.Tools())) {
			t.Errorf("loaded again: %s, %v", again, err)
		}
		exported, err := catalog.Export(t.Context(), c.Tools(), c.Resources(), c.Prompts())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := catalog.New(nil).Load(exported); err != nil {
			t.Errorf("%v in what was exported:\n%s", err, exported)
		}
	})
}

// FuzzPrompt holds that a prompt without places for arguments is handed on as it
// is, and that arguments stand where their places were.
func FuzzPrompt(f *testing.F) {
	f.Add("a {{x}} b", "v")
	f.Add("{{{x}}} {{ x }} {{x", "{{x}}")
	f.Add("}}{{x}}{{y}}", "")
	f.Fuzz(func(t *testing.T, text, value string) {
		text, value = strings.ToValidUTF8(text, ""), strings.ToValidUTF8(value, "")
		c, report := load(t, nil, `{"prompts":[{"name":"p","arguments":[{"name":"x"}],"messages":[{"content":`+quote(text)+`}]}]}`)
		if report.Prompts != 1 {
			t.Fatal(report)
		}
		got := said(t, c.Prompts(), id(t, c.Prompts(), "p"), `{"x":`+quote(value)+`}`)
		if want := "user: " + strings.ReplaceAll(text, "{{x}}", value); got != want {
			t.Errorf("%q with %q: got %q, want %q", text, value, got, want)
		}
	})
}
