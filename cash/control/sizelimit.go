package control

import (
	"context"
	"fmt"

	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
)

// SizeLimit returns middleware that withholds results of more than chars characters. It is for faces without a gate or
// a firewall: plain tools, two-stage disclosure, domain facades. The error in place of the result states the size and
// the parameters that may narrow it (RFC 7.2).
//
// Results of functions that are not read-only pass, because a repeated call would repeat their effects. Streamed
// results (RFC 7.4) and dry runs pass too. It panics if chars is not positive.
func SizeLimit(chars int) registry.Middleware {
	if chars <= 0 {
		mistake.Check("control", fmt.Errorf("SizeLimit of %d characters", chars))
	}
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			r, err := next(ctx, c)
			f := c.Function
			if err != nil || r == nil || !f.ReadOnly() || f.Streaming() || c.Plan != nil || r.InputRequests != nil {
				return r, err
			}
			length := gate.Length(r.Content, r.Structured)
			if length <= chars {
				return r, nil
			}
			n := gate.Notice{
				Length: length, Limit: chars, Fixed: true,
				Summary: gate.Count(r.Content, r.Structured).String(), Filters: f.Filters(),
			}
			text := n.Text()
			if c.Detail == registry.Standard && c.Trims(registry.Minimal) { // the face has levels only then
				text += " With detail=minimal it may be smaller."
			}
			out := registry.TextResult(text)
			out.IsError = true
			return out, nil
		}
	}
}
