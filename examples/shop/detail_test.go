package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestF8Shop holds what the shop shows below full, and how many it says that
// there are (F9).
func TestF8Shop(t *testing.T) {
	p := registry.NewPipeline(newRegistry(store.New()), nil)
	for _, tt := range []struct {
		namespace, function, args string
		minimal, standard         string
		count                     int // negative is none
	}{
		{"orders", "get", `{"order_id":"ORD-1001"}`,
			`{"order_id":"ORD-1001","status":"delivered"}`,
			`{"order_id":"ORD-1001","status":"delivered","customer_id":"C-5","date":"2024-01-01","total":6.25}`, -1},
		{"orders", "list", `{"limit":1}`,
			`{"orders":[{"order_id":"ORD-5821","status":"cancelled"}],"more":4820}`,
			`{"orders":[{"order_id":"ORD-5821","date":"2026-03-31","status":"cancelled","customer_id":"C-54","total":77.75}],"more":4820}`, 4821},
		{"crm", "get", `{"customer_id":"C-42"}`,
			`{"customer_id":"C-42","name":"Fatima Silva"}`,
			`{"customer_id":"C-42","name":"Fatima Silva","city":"Utrecht","channel":"retail","orders":95,"revenue":27295.60}`, -1},
		{"inventory", "check", `{"product_id":"P-7","quantity":1}`,
			`{"product_id":"P-7","available":true}`,
			`{"product_id":"P-7","available":true,"in_stock":180,"unit_price":12.50}`, -1},
	} {
		for level, want := range map[registry.Detail]string{registry.Minimal: tt.minimal, registry.Standard: tt.standard} {
			res, err := p.Call(context.Background(), &registry.Request{
				Namespace: tt.namespace, Function: tt.function, Arguments: json.RawMessage(tt.args), Detail: level,
			})
			if err != nil {
				t.Fatal(err)
			}
			if res.Text() != want {
				t.Errorf("%s.%s at %s: %s, want %s", tt.namespace, tt.function, level, res.Text(), want)
			}
			if got := res.Count; (got == nil) != (tt.count < 0) || got != nil && *got != tt.count {
				t.Errorf("%s.%s has the wrong count, want %d", tt.namespace, tt.function, tt.count)
			}
		}
	}
}
