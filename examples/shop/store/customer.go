package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// A Customer is a person who buys retail, or a company that buys wholesale.
type Customer struct {
	CustomerID string  `json:"customer_id" cash:"detail=minimal"`
	Name       string  `json:"name" cash:"detail=minimal"`
	City       string  `json:"city"`
	Channel    Channel `json:"channel"`
}

// FindCustomers is the input of [Shop.FindCustomers].
type FindCustomers struct {
	Query string `json:"query" jsonschema:"Part of a name or city." cash:"minLength=1,maxLength=100,example=Bergen"`
	Limit int    `json:"limit,omitempty" jsonschema:"Most customers to return." cash:"min=1,max=100,default=10"`
}

// CustomerList is the output of [Shop.FindCustomers].
type CustomerList struct {
	Customers []Customer `json:"customers"`
	More      int        `json:"more,omitempty"` // the number that the limit left out
}

// Count is the number of customers, including those that the limit left out.
func (l CustomerList) Count() int { return len(l.Customers) + l.More }

// FindCustomers returns the customers whose name or city contains the query. Case does not matter.
// A limit of zero is 10. The error is [ErrInvalid].
func (s *Shop) FindCustomers(_ context.Context, in FindCustomers) (CustomerList, error) {
	query := strings.ToLower(strings.TrimSpace(in.Query))
	if query == "" || in.Limit < 0 {
		return CustomerList{}, fmt.Errorf("%w: query must not be blank, limit not negative", ErrInvalid)
	}
	out := CustomerList{Customers: []Customer{}}
	for _, c := range s.customers { // never written to, so no lock is needed
		if !strings.Contains(strings.ToLower(c.Name+"\n"+c.City), query) {
			continue
		}
		if len(out.Customers) == cmp.Or(in.Limit, 10) {
			out.More++
			continue
		}
		out.Customers = append(out.Customers, c)
	}
	return out, nil
}

// CustomerRef is the input of [Shop.Customer].
type CustomerRef struct {
	CustomerID string `json:"customer_id" jsonschema:"Unique customer identifier." cash:"example=C-42"`
}

// Account is the output of [Shop.Customer].
type Account struct {
	Customer
	Orders  int   `json:"orders"`  // without cancelled ones
	Revenue Money `json:"revenue"` // of these orders
}

// Customer returns a customer and their purchases, or [ErrNoCustomer].
func (s *Shop) Customer(_ context.Context, in CustomerRef) (Account, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, err := s.customer(in.CustomerID)
	if err != nil {
		return Account{}, err
	}
	a := Account{Customer: *c}
	for i := range s.orders {
		if o := &s.orders[i]; o.CustomerID == c.CustomerID && o.Status != Cancelled {
			a.Orders++
			a.Revenue += o.Total
		}
	}
	return a, nil
}
