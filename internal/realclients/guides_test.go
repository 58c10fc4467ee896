//go:build realclients

package realclients

import (
	"testing"

	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

// TestAggregatorGuide goes through the guide of examples/aggregator. Its commands are built by the guide.
func TestAggregatorGuide(t *testing.T) {
	(&guidetest.Guide{Page: "../../examples/aggregator/README.md"}).Test(t)
}
