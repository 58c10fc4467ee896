package desk

import (
	"context"

	"github.com/cash-mcp/go-sdk/registry"
)

// desk has the methods that the routes and the MCP endpoint share. They know nothing of HTTP and MCP: the caller is in
// the context.
type desk struct{ store Store }

// ListTickets is the input of List.
type ListTickets struct {
	Status string `json:"status,omitempty" jsonschema:"Only tickets with this status." cash:"enum=open|closed"`
}

// List returns the tickets with a status, or all.
func (d *desk) List(ctx context.Context, in ListTickets) ([]Ticket, error) {
	all, err := d.store.Tickets(ctx, tenant(ctx))
	if err != nil {
		return nil, err
	}
	found := []Ticket{}
	for _, t := range all {
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

// Close closes a ticket in the name of the caller. A closed ticket does not change.
func (d *desk) Close(ctx context.Context, in TicketRef) (Ticket, error) {
	t, err := d.store.Ticket(ctx, tenant(ctx), in.ID)
	if err != nil || t.Status == "closed" {
		return t, err
	}
	t.Status, t.ClosedBy = "closed", registry.CallerFrom(ctx).ID
	return t, d.store.Save(ctx, tenant(ctx), t)
}

// Delete deletes a ticket and returns it.
func (d *desk) Delete(ctx context.Context, in TicketRef) (Ticket, error) {
	t, err := d.store.Ticket(ctx, tenant(ctx), in.ID)
	if err != nil {
		return Ticket{}, err
	}
	return t, d.store.Delete(ctx, tenant(ctx), in.ID)
}

// Workload counts closed tickets by the person who closed them.
func (d *desk) Workload(ctx context.Context, _ struct{}) (map[string]int, error) {
	all, err := d.store.Tickets(ctx, tenant(ctx))
	count := map[string]int{}
	for _, t := range all {
		if t.ClosedBy != "" {
			count[t.ClosedBy]++
		}
	}
	return count, err
}
