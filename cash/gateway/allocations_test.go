package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestAllocations bounds what the face allocates for ordinary calls. Raise a bound only for what is worth it.
func TestAllocations(t *testing.T) {
	reg := registry.New(nil)
	for i := range 10 {
		ns := reg.Namespace(fmt.Sprintf("team%d", i), "Orders, invoices and reports of one team, with their histories and totals, all in one place.")
		for j := range 10 {
			ns.Add(registry.Func(fmt.Sprintf("create%d", j), "Create an order.", func(_ context.Context, in createOrder) (string, error) {
				return "created for " + in.Customer, nil
			}))
		}
	}
	srv, ctx := gateway.NewServer(reg, nil), context.Background()
	browse := func(req gateway.BrowseRequest) func() error {
		return func() error { _, err := srv.Browse(ctx, &req); return err }
	}
	req := &gateway.ExecuteRequest{ID: idOf(t, reg, "team3.create3"), Args: json.RawMessage(`{"customer":"C-42","quantity":3,"note":"Leave it there."}`)}
	for _, tt := range []struct {
		name string
		call func() error
		most float64
	}{
		{"browse the top", browse(gateway.BrowseRequest{Path: "/"}), 51},
		{"browse a namespace", browse(gateway.BrowseRequest{Path: "/team3"}), 36},
		{"browse by query", browse(gateway.BrowseRequest{Query: "create an order"}), 44},
		{"execute", func() error { _, err := srv.Execute(ctx, req); return err }, 80},
	} {
		if n := testing.AllocsPerRun(50, func() {
			if err := tt.call(); err != nil {
				t.Fatal(err)
			}
		}); n > tt.most {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, n, tt.most)
		}
	}
}
