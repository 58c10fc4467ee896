package store

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A Channel is a sales channel.
type Channel string

// The channels. AllChannels is for a [Desk] of all of them.
const (
	AllChannels Channel = ""
	Retail      Channel = "retail"
	Wholesale   Channel = "wholesale"
)

// A Desk reads the orders of one channel.
type Desk struct {
	shop    *Shop
	channel Channel
}

// Desk returns the desk of a channel.
func (s *Shop) Desk(c Channel) Desk { return Desk{s, c} }

// ListOrders is the input of [Desk.List]. Zero fields do not restrict.
type ListOrders struct {
	Status     Status `json:"status,omitempty" jsonschema:"Only orders with this status." cash:"enum=confirmed|shipped|delivered|cancelled"`
	CustomerID string `json:"customer_id,omitempty" jsonschema:"Only orders of this customer." cash:"example=C-42"`
	Since      string `json:"since,omitempty" jsonschema:"ISO 8601 date filter." cash:"format=date"`
	Limit      int    `json:"limit,omitempty" jsonschema:"Most orders to return, the newest first." cash:"min=1"`
}

// OrderList is the output of [Desk.List].
type OrderList struct {
	Orders []OrderHead `json:"orders"`         // the newest first
	More   int         `json:"more,omitempty"` // the number that the limit left out
}

// Count is the number of orders, including those that the limit left out.
func (l OrderList) Count() int { return len(l.Orders) + l.More }

// An OrderHead is an order without its items.
type OrderHead struct {
	OrderID    string `json:"order_id" cash:"detail=minimal"`
	Date       string `json:"date"`
	Status     Status `json:"status" cash:"detail=minimal"`
	CustomerID string `json:"customer_id"`
	Total      Money  `json:"total"`
}

// List returns the heads of the orders that match the filters. The errors are [ErrNoCustomer] and
// [ErrInvalid].
func (d Desk) List(_ context.Context, in ListOrders) (OrderList, error) {
	if err := checkDate(in.Since); err != nil {
		return OrderList{}, err
	}
	if in.Limit < 0 {
		return OrderList{}, fmt.Errorf("%w: limit must be at least 1", ErrInvalid)
	}
	d.shop.mu.RLock()
	defer d.shop.mu.RUnlock()
	if in.CustomerID != "" {
		if _, err := d.shop.customer(in.CustomerID); err != nil {
			return OrderList{}, err
		}
	}
	out := OrderList{Orders: []OrderHead{}}
	for _, o := range slices.Backward(d.shop.orders) {
		if !d.handles(&o) || !in.admits(&o) {
			continue
		}
		if in.Limit > 0 && len(out.Orders) == in.Limit {
			out.More++
			continue
		}
		out.Orders = append(out.Orders, OrderHead{o.OrderID, o.Date, o.Status, o.CustomerID, o.Total})
	}
	return out, nil
}

func (d Desk) handles(o *Order) bool {
	return d.channel == AllChannels || o.Channel == d.channel
}

// admits reports whether an order matches. Dates in text form have the order of time.
func (in *ListOrders) admits(o *Order) bool {
	return (in.Status == "" || o.Status == in.Status) &&
		(in.CustomerID == "" || o.CustomerID == in.CustomerID) &&
		o.Date >= in.Since
}

// Summarize is the input of [Desk.Summary].
type Summarize struct {
	Since   string `json:"since,omitempty" jsonschema:"ISO 8601 date filter." cash:"format=date"`
	GroupBy string `json:"groupby,omitempty" jsonschema:"Length of a period." cash:"enum=day|week|month,default=day"`
}

// Totals is the output of [Desk.Summary].
type Totals struct {
	TotalOrders  int      `json:"total_orders" cash:"detail=minimal"`
	TotalRevenue Money    `json:"total_revenue" cash:"detail=minimal"`
	Breakdown    []Period `json:"breakdown"` // the oldest first, without empty ones
}

// A Period is a day, a week (2026-W13) or a month (2026-03).
type Period struct {
	Period  string `json:"period"`
	Orders  int    `json:"orders"`
	Revenue Money  `json:"revenue"`
}

// Summary adds up the orders that were not cancelled. An empty GroupBy groups by day. The error is
// [ErrInvalid].
func (d Desk) Summary(_ context.Context, in Summarize) (Totals, error) {
	if err := checkDate(in.Since); err != nil {
		return Totals{}, err
	}
	periodOf, err := grouping(in.GroupBy)
	if err != nil {
		return Totals{}, err
	}
	d.shop.mu.RLock()
	defer d.shop.mu.RUnlock()
	out := Totals{Breakdown: []Period{}}
	for i := range d.shop.orders {
		if o := &d.shop.orders[i]; d.handles(o) && o.Status != Cancelled && o.Date >= in.Since {
			out.add(periodOf(o.Date), o.Total)
		}
	}
	return out, nil
}

// add counts an order. Orders come by date, so a period never returns.
func (t *Totals) add(period string, amount Money) {
	t.TotalOrders++
	t.TotalRevenue += amount
	if n := len(t.Breakdown); n == 0 || t.Breakdown[n-1].Period != period {
		t.Breakdown = append(t.Breakdown, Period{Period: period})
	}
	last := &t.Breakdown[len(t.Breakdown)-1]
	last.Orders++
	last.Revenue += amount
}

// grouping returns the function from a date to its period.
func grouping(groupBy string) (func(date string) string, error) {
	switch groupBy {
	case "", "day":
		return func(date string) string { return date }, nil
	case "week":
		return isoWeek, nil
	case "month":
		return func(date string) string { return date[:len("2006-01")] }, nil
	}
	return nil, fmt.Errorf("%w: groupby must be day, week or month", ErrInvalid)
}

func isoWeek(date string) string {
	t, _ := time.Parse(time.DateOnly, date) // orders have valid dates
	year, week := t.ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

// checkDate accepts a date or an empty text.
func checkDate(date string) error {
	if date == "" {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return fmt.Errorf("%w: since must be a date such as %s", ErrInvalid, Today)
	}
	return nil
}
