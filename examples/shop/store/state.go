package store

import (
	"fmt"
	"slices"
)

// A State is what has happened in a shop since [New], in a form for a file. The zero State is that of a new shop.
type State struct {
	Orders []Order        `json:"orders"` // new ones and cancelled ones, by number
	Stock  map[string]int `json:"stock"`  // units by product; others are as at first
}

// State returns the state of the shop.
func (s *Shop) State() State {
	s.mu.RLock()
	defer s.mu.RUnlock()
	first := New()
	out := State{Orders: []Order{}, Stock: make(map[string]int)}
	for i, o := range s.orders {
		if i >= len(first.orders) || o.Status != first.orders[i].Status {
			out.Orders = append(out.Orders, o)
		}
	}
	for i, p := range s.products {
		if p.InStock != first.products[i].InStock {
			out.Stock[p.ProductID] = p.InStock
		}
	}
	return out
}

// Restore puts the shop into a state. The error is [ErrInvalid] for a state that no shop can have; then nothing
// changes.
func (s *Shop) Restore(state State) error {
	was := New()
	for _, o := range state.Orders {
		if err := was.restore(o); err != nil {
			return fmt.Errorf("order %.20q: %w", o.OrderID, err)
		}
	}
	for id, units := range state.Stock {
		p, err := was.product(id)
		if err != nil || units < 0 {
			return fmt.Errorf("%w: stock of %.20q", ErrInvalid, id)
		}
		p.InStock = units
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders, s.products = was.orders, was.products
	return nil
}

// restore adds an order, or cancels one.
func (s *Shop) restore(o Order) error {
	if known, err := s.order(o.OrderID); err == nil {
		if known.Status != Confirmed || o.Status != Cancelled {
			return fmt.Errorf("%w: status", ErrInvalid)
		}
		known.Status = Cancelled
		return nil
	}
	c, err := s.customer(o.CustomerID)
	switch {
	case o.OrderID != orderID(len(s.orders)):
		return fmt.Errorf("%w: it is not the next one", ErrInvalid)
	case err != nil:
		return err
	case o.Status != Confirmed && o.Status != Cancelled, o.Channel != c.Channel,
		checkDate(o.Date) != nil, len(o.Items) == 0, o.Total != total(o.Items):
		return fmt.Errorf("%w: its parts do not fit", ErrInvalid)
	}
	for _, l := range o.Items {
		if _, err := s.product(l.ProductID); err != nil || l.Quantity < 1 {
			return fmt.Errorf("%w: items", ErrInvalid)
		}
	}
	o.Items = slices.Clone(o.Items)
	s.orders = append(s.orders, o)
	return nil
}
