package schema_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// orderArgs are the arguments that the shop's create is measured with.
var orderArgs = []byte(`{"customer_id":"CUST-20931","items":[{"product_id":"SKU-1001","quantity":2},` +
	`{"product_id":"SKU-2002","quantity":1},{"product_id":"SKU-3003","quantity":12}],"notes":"Leave at the door, please."}`)

func BenchmarkCheck(b *testing.B) {
	ctx := context.Background()
	s, err := schema.ForType(reflect.TypeFor[createOrder]())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("typed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := s.Check(ctx, orderArgs); err != nil {
				b.Fatal(err)
			}
		}
	})
	foreign, err := schema.Parse(s.JSON())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("foreign", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := foreign.Check(ctx, orderArgs); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("strictjson", func(b *testing.B) { // what always goes before
		b.ReportAllocs()
		for b.Loop() {
			if err := strictjson.Check(orderArgs); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("jsonschema-go", func(b *testing.B) { // the yardstick
		var doc jsonschema.Schema
		if err := json.Unmarshal(s.JSON(), &doc); err != nil {
			b.Fatal(err)
		}
		resolved, err := doc.Resolve(nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			var v any
			if err := json.Unmarshal(orderArgs, &v); err != nil {
				b.Fatal(err)
			}
			if err := resolved.Validate(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWithDefaults(b *testing.B) {
	s, err := schema.ForType(reflect.TypeFor[createOrder]())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.WithDefaults(orderArgs)
	}
}

func BenchmarkParse(b *testing.B) {
	s, err := schema.ForType(reflect.TypeFor[createOrder]())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schema.Parse(s.JSON()); err != nil {
			b.Fatal(err)
		}
	}
}
