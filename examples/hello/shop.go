package main

import (
	"context"
	"fmt"
	"sync"
)

// Shop keeps orders in memory.
type Shop struct {
	mu     sync.Mutex
	orders []Order
}

// Item is a line of an order.
type Item struct {
	ProductID string `json:"product_id" jsonschema:"Product to order."`
	Quantity  int    `json:"quantity" jsonschema:"How many." cash:"min=1"`
}

// Order is the output of Create and List.
type Order struct {
	OrderID    string `json:"order_id"`
	CustomerID string `json:"customer_id"`
	Priority   string `json:"priority"`
}

func (s *Shop) add(customerID, priority string) Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := Order{fmt.Sprintf("ORD-%d", len(s.orders)+1), customerID, priority}
	s.orders = append(s.orders, o)
	return o
}

// List returns all orders.
func (s *Shop) List(context.Context, struct{}) ([]Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Order{}, s.orders...), nil
}
