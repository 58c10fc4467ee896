package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestDisplay holds that title, icons, metadata and output schema of a tool are its function's, without what a document
// adds to the metadata; what is of no use is left out with a finding. An export gives all of it back.
func TestDisplay(t *testing.T) {
	const document = `{"tools":[
		{"name":"a.one","title":"One","icons":[{"src":"https://example.com/1.png","sizes":["any"]}],"inputSchema":{"type":"object"},
		 "outputSchema":{"type":"object","$comment":"z","properties":{"b":{},"a":{}}},"_meta":{"version":"1.2","server_name":"s","ui":{"resourceUri":"ui://x"}}},
		{"name":"a.two","inputSchema":{"type":"object"},"icons":[{"src":"file:///x"}],"outputSchema":{"type":7},"_meta":{"big":"` + "LARGE" + `"}}
	]}`
	c := catalog.New(nil)
	report, err := c.Load([]byte(strings.Replace(document, "LARGE", strings.Repeat("x", registry.MaxMeta), 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"icon number 1 is not used", "the output schema is not used", "the metadata is not used"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("no finding %q in %s", want, report)
		}
	}
	if len(report.Findings) != 3 {
		t.Errorf("findings %s", report)
	}
	check := func(c *catalog.Catalog) {
		t.Helper()
		seen := 0
		for f := range c.Tools().All() {
			icons, _ := json.Marshal(f.Icons())
			got := strings.Join([]string{f.Title(), string(icons), string(f.Meta()), string(strictjson.Compact(f.OutputSchema()))}, " ")
			want := ` null  `
			if f.Name() == "one" {
				want = `One [{"src":"https://example.com/1.png","sizes":["any"]}] {"version":"1.2","ui":{"resourceUri":"ui://x"}} {"type":"object","$comment":"z","properties":{"b":{},"a":{}}}`
			}
			if seen++; got != want {
				t.Errorf("%s: %s, want %s", f.Path(), got, want)
			}
		}
		if seen != 2 {
			t.Errorf("%d tools", seen)
		}
	}
	check(c)
	data, err := catalog.Export(t.Context(), c.Tools(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	again := catalog.New(nil)
	if report, err := again.Load(data); err != nil || len(report.Findings) > 0 {
		t.Fatal(report, err, string(data))
	}
	check(again)
}
