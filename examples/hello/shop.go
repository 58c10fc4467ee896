package main

import (
	"context"
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

// Order is what Create and List answer with.
type Order struct {
	OrderID    string `json:"order_id"`
	CustomerID string `json:"customer_id"`
	Priority   string `json:"priority"`
}

// List returns all orders.
func (s *Shop) List(context.Context, struct{}) ([]Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Order{}, s.orders...), nil
}
