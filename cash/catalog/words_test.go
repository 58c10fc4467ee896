package catalog_test

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
)

// TestS44TypeWords holds that a tool whose schema has type words that are none is flagged, shown and searched.
func TestS44TypeWords(t *testing.T) {
	c := catalog.New(nil)
	report, err := c.Load([]byte(`[{"name":"weather.get","inputSchema":{"type":"object","properties":{"town":{"type":"str"}}},"result":"rain"}]`))
	if err != nil || report.Counts[catalog.Flagged] != 1 || !strings.Contains(report.String(), "inputSchema is used in part: ") {
		t.Fatalf("%v, %s", err, report)
	}
	f, err := c.Tools().Function(t.Context(), "weather", "get")
	if err != nil || f.Problem() == nil || !f.SchemaShown() || len(f.Params()) != 1 || f.Params()[0].Type != "str" {
		t.Errorf("%v, %+v", err, f.Params())
	}
	if found := c.Tools().Search(t.Context(), "town", 3); len(found) != 1 {
		t.Errorf("found %v", found)
	}
}
