package store

import (
	"context"
	"fmt"
)

// A Status is the state of an order.
type Status string

// The statuses, in the order of an order's life. Only a confirmed order can be cancelled.
const (
	Confirmed Status = "confirmed"
	Shipped   Status = "shipped"
	Delivered Status = "delivered"
	Cancelled Status = "cancelled"
)

// An Order is a customer's purchase. Its items never change.
type Order struct {
	OrderID    string  `json:"order_id" cash:"detail=minimal"`
	Status     Status  `json:"status" cash:"detail=minimal"`
	CustomerID string  `json:"customer_id"`
	Channel    Channel `json:"channel" cash:"detail=full"`
	Date       string  `json:"date"` // YYYY-MM-DD
	Items      []Line  `json:"items" cash:"detail=full"`
	Total      Money   `json:"total"`
	Notes      string  `json:"notes,omitempty" cash:"excerpt=80"`
}

// A Line is one item of an order, at the price of its day.
type Line struct {
	ProductID string `json:"product_id"`
	Quantity  int    `json:"quantity"`
	UnitPrice Money  `json:"unit_price"`
}

// CreateOrder is the input of [Shop.Create].
type CreateOrder struct {
	CustomerID string `json:"customer_id" jsonschema:"Unique customer identifier." cash:"example=C-42"`
	Items      []Item `json:"items" jsonschema:"Line items; each must have product_id and quantity." cash:"minItems=1"`
	Notes      string `json:"notes,omitempty" jsonschema:"Free-text notes attached to the order." cash:"maxLength=1000"`
}

// An Item is a wanted product with its quantity.
type Item struct {
	ProductID string `json:"product_id" jsonschema:"Unique product identifier." cash:"example=P-7"`
	Quantity  int    `json:"quantity" jsonschema:"Number of units." cash:"min=1,example=3"`
}

// Create books an order and takes its items out of stock: all of them, or none if one is missing.
// The errors are [ErrNoCustomer], [ErrNoProduct], [ErrStock] and [ErrInvalid]. Errors of an item
// have its index.
func (s *Shop) Create(_ context.Context, in CreateOrder) (Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.customer(in.CustomerID)
	if err != nil {
		return Order{}, err
	}
	lines, err := s.reserve(in.Items)
	if err != nil {
		return Order{}, err
	}
	o := Order{
		OrderID: orderID(len(s.orders)), Status: Confirmed,
		CustomerID: c.CustomerID, Channel: c.Channel, Date: Today,
		Items: lines, Total: total(lines), Notes: in.Notes,
	}
	s.orders = append(s.orders, o)
	return o, nil
}

// reserve takes the items out of stock and prices them. After an error it puts the items back.
func (s *Shop) reserve(items []Item) (lines []Line, err error) {
	if len(items) == 0 {
		return nil, fmt.Errorf("%w: an order needs at least one item", ErrInvalid)
	}
	defer func() {
		if err != nil {
			s.putBack(lines)
		}
	}()
	for i, item := range items {
		p, err := s.product(item.ProductID)
		switch {
		case err != nil:
			return lines, fmt.Errorf("items[%d]: %w", i, err)
		case item.Quantity < 1:
			return lines, fmt.Errorf("items[%d]: %w: quantity must be at least 1", i, ErrInvalid)
		case item.Quantity > p.InStock:
			return lines, fmt.Errorf("items[%d]: %w: %d of %s left", i, ErrStock, p.InStock, p.ProductID)
		}
		p.InStock -= item.Quantity
		lines = append(lines, Line{p.ProductID, item.Quantity, p.UnitPrice})
	}
	return lines, nil
}

func (s *Shop) putBack(lines []Line) {
	for _, l := range lines {
		if p, err := s.product(l.ProductID); err == nil {
			p.InStock += l.Quantity
		}
	}
}

func total(lines []Line) (sum Money) {
	for _, l := range lines {
		sum += l.UnitPrice.Times(l.Quantity)
	}
	return sum
}

// OrderRef is the input of [Shop.Get] and [Shop.Cancel].
type OrderRef struct {
	OrderID string `json:"order_id" jsonschema:"Unique order identifier." cash:"example=ORD-1001"`
}

// Get returns an order, or [ErrNoOrder].
func (s *Shop) Get(_ context.Context, in OrderRef) (Order, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, err := s.order(in.OrderID)
	if err != nil {
		return Order{}, err
	}
	return *o, nil
}

// Cancel cancels a confirmed order and puts its items back into stock. It returns a cancelled order
// as it is. The errors are [ErrNoOrder] and [ErrTooLate].
func (s *Shop) Cancel(_ context.Context, in OrderRef) (Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.order(in.OrderID)
	if err != nil {
		return Order{}, err
	}
	switch o.Status {
	case Cancelled:
		return *o, nil
	case Confirmed:
	default:
		return Order{}, fmt.Errorf("%w: it is %s", ErrTooLate, o.Status)
	}
	o.Status = Cancelled
	s.putBack(o.Items)
	return *o, nil
}
