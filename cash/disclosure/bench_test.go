package disclosure_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/registry"
)

// BenchmarkList lists functions in the first stage, and says how many bytes of
// descriptions and schemas that saves (PX7): the specification claims 80 to 90 in
// a hundred.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			reg := registry.New(nil)
			ns := reg.Namespace("orders", "Orders.")
			full := 0
			for i := range n {
				f := registry.Func(fmt.Sprintf("create_%d", i), "Create a new order for a customer_id. Stock is reserved at once, and released when the order is dropped.",
					func(context.Context, createOrder) (order, error) { return order{}, nil })
				ns.Add(f)
				full += len(f.Description()) + len(f.InputSchema())
			}
			srv := disclosure.NewServer(reg, nil)
			c := connect(b, srv, nil)
			b.ResetTimer()
			minimal := 0
			for b.Loop() {
				minimal = 0
				for _, t := range c.Tools() {
					minimal += len(t.Description) + len(toJSON(t.InputSchema))
				}
			}
			b.ReportMetric(100-100*float64(minimal)/float64(full), "%saved")
		})
	}
}

// BenchmarkCall calls a tool that has been fetched.
func BenchmarkCall(b *testing.B) {
	srv := disclosure.NewServer(shop(), nil)
	c := connect(b, srv, nil)
	c.fetch("tools=orders-create")
	b.ReportAllocs()
	for b.Loop() {
		c.call("orders-create", `{"customer_id":"C-1","quantity":2}`).OK()
	}
}

// BenchmarkFetch fetches four descriptions.
func BenchmarkFetch(b *testing.B) {
	srv := disclosure.NewServer(shop(), &disclosure.Options{FetchesPerMinute: -1})
	c := connect(b, srv, nil)
	b.ReportAllocs()
	for b.Loop() {
		c.fetch("tools=orders-create,orders-get,orders-drop,ping")
	}
}
