package card_test

import (
	"testing"

	"github.com/cash-mcp/go-sdk/toolid/card"
)

// TestNewAllocations bounds what a card allocates. Raise a bound only for what is worth it.
func TestNewAllocations(t *testing.T) {
	long := catalog(1)[0]
	short := long
	short.Description = "Creates an issue."
	for _, tt := range []struct {
		name  string
		facts card.Facts
		most  float64
	}{{"a short description", short, 7}, {"a description that is truncated", long, 75}} {
		if n := testing.AllocsPerRun(50, func() {
			if _, err := card.New(tt.facts); err != nil {
				t.Fatal(err)
			}
		}); n > tt.most {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, n, tt.most)
		}
	}
}
