// Package store is the business of a small shop: orders, stock and customers, in memory. It is
// ordinary Go and knows nothing of the protocol that serves it. Methods take a context and one
// input struct, and return one output or an error. Struct tags describe the fields and their
// allowed values.
//
//	shop := store.New()
//	order, err := shop.Create(ctx, store.CreateOrder{
//		CustomerID: "C-42",
//		Items:      []store.Item{{ProductID: "P-7", Quantity: 3}},
//	})
//
// Every shop starts with the same customers, products and 4,821 orders. They are computed, not
// random, so that the output of examples stays the same.
//
// # Limits
//
// The calendar stands still at [Today]. Everything is in memory: a restart begins again, unless the
// program keeps a [State]. All amounts have one currency.
package store

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// A Shop is safe for concurrent use. Make one with [New].
type Shop struct {
	mu        sync.RWMutex
	orders    []Order    // by number, which is also by date
	products  []Product  // by number
	customers []Customer // by number; never changes
}

// New returns a shop as it is on the morning of [Today].
func New() *Shop {
	customers, products := seedCustomers(), seedProducts()
	return &Shop{customers: customers, products: products, orders: seedOrders(customers, products)}
}

// Numbers of the first order, product and customer.
const (
	firstOrder    = 1001
	firstProduct  = 1
	firstCustomer = 1
)

func orderID(i int) string    { return fmt.Sprintf("ORD-%d", firstOrder+i) }
func productID(i int) string  { return fmt.Sprintf("P-%d", firstProduct+i) }
func customerID(i int) string { return fmt.Sprintf("C-%d", firstCustomer+i) }

// indexOf returns the index of an id among n things, or -1. write returns the id of an index.
func indexOf(id string, write func(int) string, n int) int {
	first := write(0)
	dash := strings.IndexByte(first, '-')
	base, _ := strconv.Atoi(first[dash+1:])
	number, err := strconv.Atoi(strings.TrimPrefix(id, first[:dash+1]))
	if i := number - base; err == nil && 0 <= i && i < n && write(i) == id {
		return i
	}
	return -1
}

// order returns the order with the id. The caller holds s.mu, as for the two
// functions below.
func (s *Shop) order(id string) (*Order, error) {
	i := indexOf(id, orderID, len(s.orders))
	if i < 0 {
		return nil, ErrNoOrder
	}
	return &s.orders[i], nil
}

func (s *Shop) product(id string) (*Product, error) {
	i := indexOf(id, productID, len(s.products))
	if i < 0 {
		return nil, ErrNoProduct
	}
	return &s.products[i], nil
}

func (s *Shop) customer(id string) (*Customer, error) {
	i := indexOf(id, customerID, len(s.customers))
	if i < 0 {
		return nil, ErrNoCustomer
	}
	return &s.customers[i], nil
}
