package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

var ctx = context.Background()

func item(product string, quantity int) store.Item {
	return store.Item{ProductID: product, Quantity: quantity}
}

func inStock(t *testing.T, s *store.Shop, product string) int {
	t.Helper()
	a, err := s.CheckStock(ctx, store.CheckStock{ProductID: product, Quantity: 1})
	if err != nil {
		t.Fatal(err)
	}
	return a.InStock
}

// The answer of the RFC's section 8.4, with the day and the channel added.
func TestCreate(t *testing.T) {
	s := store.New()
	before := inStock(t, s, "P-7")
	order, err := s.Create(ctx, store.CreateOrder{CustomerID: "C-42", Items: []store.Item{item("P-7", 3)}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"order_id":"ORD-5822","status":"confirmed","customer_id":"C-42","channel":"retail","date":"2026-03-31",` +
		`"items":[{"product_id":"P-7","quantity":3,"unit_price":12.50}],"total":37.50}`
	if got := toJSON(t, order); got != want {
		t.Errorf("Create =\n%s, want\n%s", got, want)
	}
	if got := inStock(t, s, "P-7"); got != before-3 {
		t.Errorf("in stock after Create: %d, want %d", got, before-3)
	}
	if got, err := s.Get(ctx, store.OrderRef{OrderID: "ORD-5822"}); err != nil || !reflect.DeepEqual(got, order) {
		t.Errorf("Get = %+v, %v, want what Create returned", got, err)
	}
}

func TestCreateRefuses(t *testing.T) {
	tests := []struct {
		name string
		in   store.CreateOrder
		err  error
		text string
	}{
		{"unknown customer", store.CreateOrder{CustomerID: "C-61", Items: []store.Item{item("P-7", 1)}}, store.ErrNoCustomer, "no customer has this customer_id"},
		{"no customer", store.CreateOrder{Items: []store.Item{item("P-7", 1)}}, store.ErrNoCustomer, "no customer has this customer_id"},
		{"no items", store.CreateOrder{CustomerID: "C-42"}, store.ErrInvalid, "invalid input: an order needs at least one item"},
		{"unknown product", store.CreateOrder{CustomerID: "C-42", Items: []store.Item{item("P-7", 1), item("P-13", 1)}}, store.ErrNoProduct, "items[1]: no product has this product_id"},
		{"none of it", store.CreateOrder{CustomerID: "C-42", Items: []store.Item{item("P-7", 1), item("P-1", 0)}}, store.ErrInvalid, "items[1]: invalid input: quantity must be at least 1"},
		{"less than none", store.CreateOrder{CustomerID: "C-42", Items: []store.Item{item("P-7", -1)}}, store.ErrInvalid, "items[0]: invalid input: quantity must be at least 1"},
		{"too much", store.CreateOrder{CustomerID: "C-42", Items: []store.Item{item("P-7", 181)}}, store.ErrStock, "items[0]: not enough in stock: 180 of P-7 left"},
		{"sold out", store.CreateOrder{CustomerID: "C-42", Items: []store.Item{item("P-12", 1)}}, store.ErrStock, "items[0]: not enough in stock: 0 of P-12 left"},
		{"too much in two items", store.CreateOrder{CustomerID: "C-42", Items: []store.Item{item("P-7", 100), item("P-7", 81)}}, store.ErrStock, "items[1]: not enough in stock: 80 of P-7 left"},
	}
	s := store.New()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Create(ctx, tt.in)
			if !errors.Is(err, tt.err) || err.Error() != tt.text {
				t.Errorf("Create: %v, want %q", err, tt.text)
			}
			if got := inStock(t, s, "P-7"); got != 180 {
				t.Errorf("in stock after the error: %d, want 180", got)
			}
		})
	}
	if _, err := s.Get(ctx, store.OrderRef{OrderID: "ORD-5822"}); !errors.Is(err, store.ErrNoOrder) {
		t.Errorf("Get of the next order: %v, want %v", err, store.ErrNoOrder)
	}
}

func TestCancel(t *testing.T) {
	s := store.New()
	order, err := s.Create(ctx, store.CreateOrder{CustomerID: "C-1", Items: []store.Item{item("P-9", 4), item("P-7", 1)}})
	if err != nil {
		t.Fatal(err)
	}
	ref := store.OrderRef{OrderID: order.OrderID}
	for _, attempt := range []string{"first", "repeated"} {
		got, err := s.Cancel(ctx, ref)
		if err != nil || got.Status != store.Cancelled {
			t.Errorf("%s Cancel = %s, %v, want it cancelled", attempt, got.Status, err)
		}
		if left := inStock(t, s, "P-9"); left != 4 {
			t.Errorf("in stock after the %s Cancel: %d, want 4", attempt, left)
		}
	}
	if order.Status != store.Confirmed {
		t.Error("Cancel has changed an order that was handed out")
	}
	for id, want := range map[string]error{
		"ORD-1002": store.ErrTooLate, "ORD-1000": store.ErrNoOrder, "ORD-5823": store.ErrNoOrder, "": store.ErrNoOrder,
		"1001": store.ErrNoOrder, "ORD-01001": store.ErrNoOrder, "ORD-+1001": store.ErrNoOrder, "ord-1001": store.ErrNoOrder, "C-1": store.ErrNoOrder,
		"ORD--9223372036854775808": store.ErrNoOrder,
	} {
		if _, err := s.Cancel(ctx, store.OrderRef{OrderID: id}); !errors.Is(err, want) {
			t.Errorf("Cancel of %q: %v, want %v", id, err, want)
		}
	}
}

func TestList(t *testing.T) {
	s := store.New()
	tests := []struct {
		name  string
		desk  store.Desk
		in    store.ListOrders
		want  int
		admit func(store.OrderHead) bool
	}{
		{"all", s.Desk(store.AllChannels), store.ListOrders{}, 4821, nil},
		{"retail", s.Desk(store.Retail), store.ListOrders{}, 4821 - wholesale(t, s), nil},
		{"status", s.Desk(store.AllChannels), store.ListOrders{Status: store.Confirmed}, -1, func(o store.OrderHead) bool { return o.Status == store.Confirmed }},
		{"customer", s.Desk(store.AllChannels), store.ListOrders{CustomerID: "C-42"}, -1, func(o store.OrderHead) bool { return o.CustomerID == "C-42" }},
		{"since", s.Desk(store.Wholesale), store.ListOrders{Since: "2026-03-01"}, -1, func(o store.OrderHead) bool { return o.Date >= "2026-03-01" }},
		{"limit", s.Desk(store.AllChannels), store.ListOrders{Limit: 3}, 3, nil},
		{"the future", s.Desk(store.AllChannels), store.ListOrders{Since: "2030-01-01"}, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.desk.List(ctx, tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want >= 0 && len(got.Orders) != tt.want || tt.want < 0 && len(got.Orders) == 0 {
				t.Errorf("%d orders, want %d", len(got.Orders), tt.want)
			}
			if tt.in.Limit > 0 && got.More != 4821-tt.in.Limit || tt.in.Limit == 0 && got.More != 0 {
				t.Errorf("%d more", got.More)
			}
			if got.Orders == nil {
				t.Error("the list is null in JSON")
			}
			for i, o := range got.Orders {
				if tt.admit != nil && !tt.admit(o) {
					t.Fatalf("%+v should not be listed", o)
				}
				if i > 0 && o.Date > got.Orders[i-1].Date {
					t.Fatalf("%s comes after an older order", o.OrderID)
				}
			}
		})
	}
}

func wholesale(t *testing.T, s *store.Shop) int {
	t.Helper()
	got, err := s.Desk(store.Wholesale).List(ctx, store.ListOrders{})
	if err != nil || len(got.Orders) == 0 {
		t.Fatalf("wholesale has %d orders, %v", len(got.Orders), err)
	}
	return len(got.Orders)
}

func TestSummary(t *testing.T) {
	s := store.New()
	all := summary(t, s.Desk(store.AllChannels), store.Summarize{})
	retail, bulk := summary(t, s.Desk(store.Retail), store.Summarize{}), summary(t, s.Desk(store.Wholesale), store.Summarize{})
	if retail.TotalOrders+bulk.TotalOrders != all.TotalOrders || retail.TotalRevenue+bulk.TotalRevenue != all.TotalRevenue {
		t.Errorf("the channels do not add up: %+v", all)
	}
	if all.TotalOrders == 0 || all.TotalOrders >= 4821 {
		t.Errorf("%d orders count, want all but the cancelled ones", all.TotalOrders)
	}
	tests := []struct {
		groupBy, first, last string
		periods              int
	}{
		{"", "2024-01-01", "2026-03-31", 821},
		{"day", "2024-01-01", "2026-03-31", 821},
		{"week", "2024-W01", "2026-W14", 118},
		{"month", "2024-01", "2026-03", 27},
	}
	for _, tt := range tests {
		t.Run("by "+tt.groupBy, func(t *testing.T) {
			got := summary(t, s.Desk(store.AllChannels), store.Summarize{GroupBy: tt.groupBy})
			if got.TotalRevenue != all.TotalRevenue {
				t.Errorf("revenue %v, want %v", got.TotalRevenue, all.TotalRevenue)
			}
			n := len(got.Breakdown)
			if n != tt.periods || got.Breakdown[0].Period != tt.first || got.Breakdown[n-1].Period != tt.last {
				t.Errorf("%d periods from %s to %s, want %d from %s to %s",
					n, got.Breakdown[0].Period, got.Breakdown[n-1].Period, tt.periods, tt.first, tt.last)
			}
		})
	}
	march := summary(t, s.Desk(store.AllChannels), store.Summarize{Since: "2026-03-01", GroupBy: "month"})
	if len(march.Breakdown) != 1 || march.Breakdown[0].Orders != march.TotalOrders {
		t.Errorf("since March: %+v, want one period", march)
	}
}

// summary checks that a breakdown adds up to its totals.
func summary(t *testing.T, d store.Desk, in store.Summarize) store.Totals {
	t.Helper()
	got, err := d.Summary(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	orders, revenue := 0, store.Money(0)
	for _, p := range got.Breakdown {
		orders, revenue = orders+p.Orders, revenue+p.Revenue
	}
	if orders != got.TotalOrders || revenue != got.TotalRevenue {
		t.Errorf("breakdown adds up to %d and %v, totals are %d and %v", orders, revenue, got.TotalOrders, got.TotalRevenue)
	}
	return got
}

func TestInputRefused(t *testing.T) {
	s := store.New()
	desk := s.Desk(store.AllChannels)
	tests := []struct {
		name string
		call func() (any, error)
		want error
	}{
		{"list since", func() (any, error) { return desk.List(ctx, store.ListOrders{Since: "March"}) }, store.ErrInvalid},
		{"list limit", func() (any, error) { return desk.List(ctx, store.ListOrders{Limit: -1}) }, store.ErrInvalid},
		{"list customer", func() (any, error) { return desk.List(ctx, store.ListOrders{CustomerID: "C-0"}) }, store.ErrNoCustomer},
		{"summary since", func() (any, error) { return desk.Summary(ctx, store.Summarize{Since: "2026-02-30"}) }, store.ErrInvalid},
		{"summary groupby", func() (any, error) { return desk.Summary(ctx, store.Summarize{GroupBy: "year"}) }, store.ErrInvalid},
		{"check product", func() (any, error) { return s.CheckStock(ctx, store.CheckStock{ProductID: "P-0", Quantity: 1}) }, store.ErrNoProduct},
		{"check quantity", func() (any, error) { return s.CheckStock(ctx, store.CheckStock{ProductID: "P-1"}) }, store.ErrInvalid},
		{"restock product", func() (any, error) { return s.Restock(ctx, store.Restock{ProductID: "P-", Quantity: 1}) }, store.ErrNoProduct},
		{"restock nothing", func() (any, error) { return s.Restock(ctx, store.Restock{ProductID: "P-1"}) }, store.ErrInvalid},
		{"restock too much", func() (any, error) { return s.Restock(ctx, store.Restock{ProductID: "P-1", Quantity: 10_001}) }, store.ErrInvalid},
		{"find nothing", func() (any, error) { return s.FindCustomers(ctx, store.FindCustomers{Query: " "}) }, store.ErrInvalid},
		{"find limit", func() (any, error) { return s.FindCustomers(ctx, store.FindCustomers{Query: "a", Limit: -1}) }, store.ErrInvalid},
		{"customer", func() (any, error) { return s.Customer(ctx, store.CustomerRef{CustomerID: "42"}) }, store.ErrNoCustomer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := tt.call(); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func TestInventory(t *testing.T) {
	s := store.New()
	for quantity, want := range map[int]bool{4: true, 5: false} {
		got, err := s.CheckStock(ctx, store.CheckStock{ProductID: "P-9", Quantity: quantity})
		if err != nil || got.Available != want || got.InStock != 4 {
			t.Errorf("CheckStock of %d = %+v, %v, want available=%v of 4", quantity, got, err, want)
		}
	}
	all, err := s.Products(ctx, store.ListProducts{})
	if err != nil || len(all.Products) != 12 {
		t.Errorf("Products = %d, %v, want 12", len(all.Products), err)
	}
	if p, err := s.Restock(ctx, store.Restock{ProductID: "P-12", Quantity: 5}); err != nil || p.InStock != 5 {
		t.Errorf("Restock = %+v, %v, want 5 in stock", p, err)
	}
	few, err := s.Products(ctx, store.ListProducts{Below: 5})
	if err != nil || len(few.Products) != 1 || few.Products[0].ProductID != "P-9" {
		t.Errorf("Products below 5 = %+v, %v, want P-9", few, err)
	}
}

func TestCustomers(t *testing.T) {
	s := store.New()
	found, err := s.FindCustomers(ctx, store.FindCustomers{Query: "BERGEN", Limit: 2})
	if err != nil || len(found.Customers) != 2 || found.More == 0 {
		t.Fatalf("FindCustomers = %+v, %v, want two and more", found, err)
	}
	for _, c := range found.Customers {
		if !strings.Contains(c.Name+c.City, "Bergen") {
			t.Errorf("found %+v", c)
		}
	}
	before, err := s.Customer(ctx, store.CustomerRef{CustomerID: "C-42"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(ctx, store.CreateOrder{CustomerID: "C-42", Items: []store.Item{item("P-7", 2)}}); err != nil {
		t.Fatal(err)
	}
	after, err := s.Customer(ctx, store.CustomerRef{CustomerID: "C-42"})
	if err != nil || after.Orders != before.Orders+1 || after.Revenue != before.Revenue+2500 {
		t.Errorf("account = %+v, %v, was %+v", after, err, before)
	}
}

// Whoever asks at the same time gets different orders, and no more than there is.
func TestConcurrentUse(t *testing.T) {
	s := store.New()
	var wg sync.WaitGroup
	ids := make(chan string, 100)
	for range 50 {
		wg.Go(func() {
			o, err := s.Create(ctx, store.CreateOrder{CustomerID: "C-1", Items: []store.Item{item("P-10", 1)}})
			if err == nil {
				ids <- o.OrderID
			} else if !errors.Is(err, store.ErrStock) {
				t.Errorf("Create: %v", err)
			}
		})
		wg.Go(func() {
			if _, err := s.Desk(store.Retail).Summary(ctx, store.Summarize{Since: "2026-03-01"}); err != nil {
				t.Errorf("Summary: %v", err)
			}
		})
	}
	wg.Wait()
	close(ids)
	different := map[string]bool{}
	for id := range ids {
		different[id] = true
	}
	if len(different) != 21 || inStock(t, s, "P-10") != 0 {
		t.Errorf("%d orders, %d left; want 21 and none", len(different), inStock(t, s, "P-10"))
	}
}

func TestSeed(t *testing.T) {
	a, b := store.New(), store.New()
	count := map[store.Status]int{}
	all, err := a.Desk(store.AllChannels).List(ctx, store.ListOrders{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all.Orders {
		count[o.Status]++
	}
	for _, status := range []store.Status{store.Confirmed, store.Shipped, store.Delivered, store.Cancelled} {
		if count[status] == 0 {
			t.Errorf("no order is %s", status)
		}
	}
	if first, last := all.Orders[4820].OrderID, all.Orders[0].OrderID; first != "ORD-1001" || last != "ORD-5821" {
		t.Errorf("orders from %s to %s, want ORD-1001 to ORD-5821", first, last)
	}
	again, err := b.Desk(store.AllChannels).List(ctx, store.ListOrders{})
	if err != nil || !reflect.DeepEqual(all, again) {
		t.Errorf("two shops differ, %v", err)
	}
	for i := range 4821 {
		o, err := a.Get(ctx, store.OrderRef{OrderID: all.Orders[i].OrderID})
		if err != nil || len(o.Items) == 0 || o.Total <= 0 || o.Total != all.Orders[i].Total {
			t.Fatalf("order %+v, %v", o, err)
		}
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
