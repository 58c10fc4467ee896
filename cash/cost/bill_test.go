package cost_test

import (
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

func TestBill(t *testing.T) {
	b := &cost.Bill{Definitions: 100, Turns: []cost.Turn{{Sent: 10, Got: 20}, {Sent: 5, Got: 5}}}
	for n, want := range []cost.Price{{0, 100, 100}, {1, 130, 100 + 130}, {2, 140, 100 + 130 + 140}} {
		if got := b.After(n); got != want {
			t.Errorf("after %d turns: %+v, want %+v", n, got, want)
		}
	}
	if got := b.Added(2); got != 40 {
		t.Errorf("%d tokens added, want 40", got)
	}
}
