package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cash-mcp/go-sdk/registry"
)

var errNoTicket = errors.New("no ticket has this id: list the tickets to find it")

// A Ticket is a customer's question.
type Ticket struct {
	ID       string `json:"id"`
	Subject  string `json:"subject"`
	Status   string `json:"status"` // open or closed
	ClosedBy string `json:"closed_by,omitempty"`
}

// desk holds the tickets. It is safe for concurrent use.
type desk struct {
	mu      sync.Mutex
	tickets []Ticket
}

func newDesk() *desk {
	return &desk{tickets: []Ticket{
		{ID: "T-1", Subject: "Where is my parcel?", Status: "open"},
		{ID: "T-2", Subject: "The invoice has the wrong address.", Status: "open"},
		{ID: "T-3", Subject: "How do I return a cup?", Status: "closed", ClosedBy: "carla"},
	}}
}

// ListTickets is the input of List.
type ListTickets struct {
	Status string `json:"status,omitempty" jsonschema:"Only tickets with this status." cash:"enum=open|closed"`
}

// List returns the tickets with a status, or all.
func (d *desk) List(_ context.Context, in ListTickets) ([]Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := []Ticket{}
	for _, t := range d.tickets {
		if in.Status == "" || t.Status == in.Status {
			found = append(found, t)
		}
	}
	return found, nil
}

// TicketRef is the input of Close and Delete.
type TicketRef struct {
	ID string `json:"id" jsonschema:"Ticket, as listed." cash:"example=T-1"`
}

// Close closes a ticket in the name of the caller in ctx. A closed ticket does not change.
func (d *desk) Close(ctx context.Context, in TicketRef) (Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, err := d.find(in.ID)
	if err != nil {
		return Ticket{}, err
	}
	if t := &d.tickets[i]; t.Status == "open" {
		t.Status, t.ClosedBy = "closed", registry.CallerFrom(ctx).ID
	}
	return d.tickets[i], nil
}

// Delete deletes a ticket and returns it.
func (d *desk) Delete(_ context.Context, in TicketRef) (Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, err := d.find(in.ID)
	if err != nil {
		return Ticket{}, err
	}
	t := d.tickets[i]
	d.tickets = slices.Delete(d.tickets, i, i+1)
	return t, nil
}

func (d *desk) find(id string) (int, error) {
	i := slices.IndexFunc(d.tickets, func(t Ticket) bool { return t.ID == id })
	if i < 0 {
		return 0, errNoTicket
	}
	return i, nil
}

// Workload counts closed tickets by the person who closed them.
func (d *desk) Workload(context.Context, struct{}) (map[string]int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	count := map[string]int{}
	for _, t := range d.tickets {
		if t.ClosedBy != "" {
			count[t.ClosedBy]++
		}
	}
	return count, nil
}
