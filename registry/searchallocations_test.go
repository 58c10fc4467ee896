package registry_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestSearchAllocations bounds what a search allocates, beside its ten matches. Raise the bound only for what is worth it.
func TestSearchAllocations(t *testing.T) {
	reg := registry.New(nil)
	for i := range 200 {
		reg.Namespace(fmt.Sprintf("team%d", i%10), "Orders and invoices.").Add(registry.Func(fmt.Sprintf("create%d", i), "Create an order for a customer.", nothingTo))
	}
	ctx := context.Background()
	if n := testing.AllocsPerRun(50, func() {
		if found := reg.Search(ctx, "create an order", 10); len(found) != 10 {
			t.Fatal(found)
		}
	}); n > 35 {
		t.Errorf("%v allocations, want at most 35", n)
	}
}
