package schema_test

import (
	"context"
	"fmt"
	"reflect"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

type createOrder struct {
	CustomerID string `json:"customer_id" jsonschema:"Unique customer identifier."`
	Items      []item `json:"items" jsonschema:"Line items." cash:"minItems=1"`
	Priority   string `json:"priority,omitempty" jsonschema:"Handling priority." cash:"enum=low|normal|high,default=normal"`
	Notes      string `json:"notes,omitempty" jsonschema:"Free-text notes."`
	Channel    string `json:"channel,omitempty" jsonschema:"Sales channel code." cash:"advanced,pattern='^[A-Z]{2,4}$'"`
}

type item struct {
	ProductID string `json:"product_id"`
	Quantity  int    `json:"quantity" cash:"min=1"`
}

func ExampleForType() {
	s, err := schema.ForType(reflect.TypeFor[createOrder]())
	if err != nil {
		panic(err)
	}
	for _, p := range s.Params() {
		fmt.Printf("%s (%s, required: %t) [%s]\n", p.Name, p.Type, p.Required, p.Rules)
	}
	fmt.Println(s.Summary())

	args := []byte(`{"custmer_id": "C-1", "items": [{"product_id": "P-7", "quantity": 0}]}`)
	fmt.Println(s.Check(context.Background(), args))
	// Output:
	// customer_id (string, required: true) []
	// items (array of {product_id, quantity}, required: true) [Minimum items: 1.]
	// priority (string, required: false) [One of: low, normal, high. Default: normal.]
	// notes (string, required: false) []
	// channel (string, required: false) [Pattern: ^[A-Z]{2,4}$.]
	// Object with `customer_id`, `items`, `priority`, `notes` and `channel`.
	// custmer_id: unknown parameter, did you mean `customer_id`? known: customer_id, items, priority, notes, channel; items[0].quantity: must be at least 1; customer_id: missing
}

func ExampleSchema_WithDefaults() {
	s, err := schema.ForType(reflect.TypeFor[createOrder]())
	if err != nil {
		panic(err)
	}
	args := []byte(`{"customer_id": "C-1", "items": []}`)
	fmt.Println(string(s.WithDefaults(args)))
	// Output: {"customer_id": "C-1", "items": [],"priority":"normal"}
}
