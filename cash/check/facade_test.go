package check_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/cash/internal/wrong"
	"github.com/cash-mcp/go-sdk/registry"
)

func facadeReport(t *testing.T, srv client.Runner, strict bool) *check.Report {
	t.Helper()
	report, err := check.Facade(t.Context(), check.Target{
		Transport: func() mcp.Transport { return client.InMemory(t.Context(), srv) },
		Strict:    strict,
		Read:      &check.Sample{Namespace: "OrdersExecute", Function: "get", Kwargs: map[string]any{"id": "A"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestFacade: the face of this module passes all rows.
func TestFacade(t *testing.T) {
	reg := registry.New(nil)
	type in struct {
		ID string `json:"id" jsonschema:"The id."`
	}
	get := func(_ context.Context, in in) (in, error) { return in, nil }
	reg.Namespace("orders", "Manage orders.").Add(registry.Func("get", "Get an order.", get, registry.ReadOnly))
	report := facadeReport(t, facade.NewServer(reg, nil), false)
	for _, row := range report.Rows {
		if row.Status != check.Passed {
			t.Errorf("%s is %v: %s", row.Name, row.Status, strings.Join(row.Evidence, "; "))
		}
	}
	if len(report.Rows) != 6 {
		t.Errorf("there are %d rows", len(report.Rows))
	}
}

// TestFacadeFaults: each fault fails its row and no other, but for answers that break more of them.
func TestFacadeFaults(t *testing.T) {
	failed := func(srv *wrong.Facade) string {
		var rows []string
		for _, row := range facadeReport(t, srv, true).Failed() {
			rows = append(rows, row.Name)
		}
		return strings.Join(rows, " ")
	}
	for _, row := range append(wrong.FacadeRows, "") {
		if got := failed(&wrong.Facade{Row: row}); got != row {
			t.Errorf("failed %q, want %q", got, row)
		}
	}
	for _, answers := range []string{`{"ok":true,"cmd":"get"}`, `[1]`} {
		if got := failed(&wrong.Facade{Answers: answers}); !strings.Contains(got, "F4") {
			t.Errorf("%s: failed %q, want F4 too", answers, got)
		}
	}
}
