package check

import (
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/wrong"
)

// TestDisclosureTool: a tool with the descriptions is not one to describe. It answers as the resource does.
func TestDisclosureTool(t *testing.T) {
	if o := halve(t, &wrong.Disclosure{Tool: "same"}, true); len(o.failed) > 0 || len(o.ran) != len(disclosureChecks) {
		t.Errorf("a sound server fails %v, of %v", o.failed, o.ran)
	}
	for _, answer := range []string{"{}", "no", `{"find":{"name":"find","description":"All of find","inputSchema":{}}}`} {
		if o := halve(t, &wrong.Disclosure{Tool: answer}, false); !slices.Equal(o.rows(), []string{"C4"}) {
			t.Errorf("%s: failed %v", answer, o.failed)
		}
	}
}

func halve(t *testing.T, h *wrong.Disclosure, strict bool) findings {
	t.Helper()
	report, err := Disclosure(t.Context(), DisclosureTarget{
		Transport: func() mcp.Transport { return inMemory(h) },
		Strict:    strict,
		Call:      &ToolCall{"find", map[string]string{"item_name": "tea"}},
		Other:     &ToolCall{"put", map[string]int{"amount": 1}},
		Invalid:   map[string]int{"x": 1},
		Hidden:    "secret",
		Denied:    &ToolCall{"locked", nil},
		Runs:      h.Runs,
	})
	if err != nil {
		t.Fatal(err)
	}
	return findingsOf(report)
}

// TestDisclosureQuirks: each mistake fails its own row and no other.
func TestDisclosureQuirks(t *testing.T) {
	if o := halve(t, &wrong.Disclosure{}, true); len(o.failed) > 0 || len(o.ran) != len(disclosureChecks) {
		t.Errorf("a sound server fails %v, of %v; %v", o.failed, o.ran, o.unchecked)
	}
	recommended := []string{"P19", "P26", "PX3"}
	for i, c := range disclosureChecks {
		if i >= len(wrong.DisclosureRows) || c.row != wrong.DisclosureRows[i] {
			t.Fatalf("there is no wrong server for %s", c.row)
		}
		if o := halve(t, &wrong.Disclosure{Row: c.row}, slices.Contains(recommended, c.row)); !slices.Equal(o.rows(), []string{c.row}) {
			t.Errorf("%s: failed %v", c.row, o.failed)
		}
	}
}

// TestDisclosureNotChecked: without samples nothing is passed over in silence.
func TestDisclosureNotChecked(t *testing.T) {
	report, err := Disclosure(t.Context(), DisclosureTarget{Transport: func() mcp.Transport { return inMemory(&wrong.Disclosure{}) }})
	if err != nil {
		t.Fatal(err)
	}
	o := findingsOf(report)
	if len(o.ran)+len(o.unchecked) != len(disclosureChecks) || len(o.unchecked) != 5 {
		t.Errorf("%d ran, and not: %q", len(o.ran), o.unchecked)
	}
	if _, err := Disclosure(t.Context(), DisclosureTarget{}); err == nil {
		t.Error("no error without a transport")
	}
}
