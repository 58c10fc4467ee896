package store_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

func TestStateRestores(t *testing.T) {
	shop := store.New()
	if s := shop.State(); len(s.Orders) != 0 || len(s.Stock) != 0 {
		t.Errorf("a new shop: %+v", s)
	}
	order, err := shop.Create(t.Context(), store.CreateOrder{CustomerID: "C-42", Items: []store.Item{{ProductID: "P-7", Quantity: 3}}, Notes: "é"})
	if err != nil {
		t.Fatal(err)
	}
	confirmed, err := shop.Desk(store.AllChannels).List(t.Context(), store.ListOrders{Status: store.Confirmed})
	if err != nil {
		t.Fatal(err)
	}
	old := confirmed.Orders[len(confirmed.Orders)-1].OrderID // of the first ones
	if _, err := shop.Cancel(t.Context(), store.OrderRef{OrderID: old}); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(shop.State())
	if err != nil {
		t.Fatal(err)
	}
	var state store.State
	if err := json.Unmarshal(data, &state); err != nil {
		t.Fatal(err)
	}
	other := store.New()
	if err := other.Restore(state); err != nil || !reflect.DeepEqual(other.State(), shop.State()) || len(state.Orders) != 2 {
		t.Fatalf("%v\n%+v\n%+v", err, other.State(), shop.State())
	}
	if got, err := other.Get(t.Context(), store.OrderRef{OrderID: order.OrderID}); err != nil || !reflect.DeepEqual(got, order) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := other.Restore(store.State{}); err != nil || len(other.State().Orders) != 0 {
		t.Errorf("back to a new shop: %v", err)
	}
}

func TestStateInvalid(t *testing.T) {
	for _, text := range []string{
		`{"orders":[{"order_id":"ORD-5823","status":"confirmed","customer_id":"C-42"}]}`,
		`{"orders":[{"order_id":"ORD-5822","status":"lost","customer_id":"C-42"}]}`,
		`{"orders":[{"order_id":"ORD-5822","status":"confirmed","customer_id":"C-9999"}]}`,
		`{"orders":[{"order_id":"ORD-5822","status":"confirmed","customer_id":"C-42","channel":"retail","items":[],"total":0}]}`,
		`{"orders":[{"order_id":"ORD-5822","status":"confirmed","customer_id":"C-42","channel":"retail","items":[{"product_id":"P-7","quantity":1,"unit_price":1}],"total":2}]}`,
		`{"orders":[{"order_id":"ORD-5822","status":"confirmed","customer_id":"C-42","channel":"retail","items":[{"product_id":"P-77","quantity":1,"unit_price":1}],"total":1}]}`,
		`{"orders":[{"order_id":"ORD-1001","status":"cancelled"}]}`, // delivered
		`{"stock":{"P-99":1}}`, `{"stock":{"P-1":-1}}`,
	} {
		var state store.State
		if err := json.Unmarshal([]byte(text), &state); err != nil {
			t.Fatal(err)
		}
		shop := store.New()
		if err := shop.Restore(state); !errors.Is(err, store.ErrInvalid) && !errors.Is(err, store.ErrNoCustomer) && !errors.Is(err, store.ErrNoProduct) {
			t.Errorf("%s: %v", text, err)
		}
		if s := shop.State(); len(s.Orders) != 0 || len(s.Stock) != 0 {
			t.Errorf("%s: it is now %+v", text, s)
		}
	}
}
