package desk

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// memory is a Store in memory. Reads see what has been committed and never wait; transactions run one after the other.
type memory struct {
	users   map[string]User
	tickets atomic.Pointer[tickets] // committed, and not changed any more
	writing chan struct{}           // full while a transaction runs
	tokens  sync.Map                // for the carrier, by user
}

type (
	tickets   map[ticketKey]Ticket
	ticketKey struct{ tenant, id string }
	txKey     struct{} // of a context for the tickets of its transaction
)

// NewMemory returns a store in memory with the users and tickets of two tenants.
func NewMemory() Store { return newMemory() }

func newMemory() *memory {
	m := &memory{writing: make(chan struct{}, 1), users: map[string]User{
		"carla": {"carla", "acme", []string{"clerk"}},
		"anton": {"anton", "acme", []string{"clerk", "admin"}},
		"greta": {"greta", "globex", []string{"clerk"}},
	}}
	m.tickets.Store(&tickets{
		{"acme", "T-1"}:   {ID: "T-1", Subject: "Where is my parcel?", Status: "open"},
		{"acme", "T-2"}:   {ID: "T-2", Subject: "The invoice has the wrong address.", Status: "open"},
		{"acme", "T-3"}:   {ID: "T-3", Subject: "How do I return a cup?", Status: "closed", ClosedBy: "carla"},
		{"globex", "T-1"}: {ID: "T-1", Subject: "The lamp does not switch off.", Status: "open"},
	})
	return m
}

func (m *memory) User(_ context.Context, id string) (User, error) {
	u, ok := m.users[id]
	if !ok {
		return User{}, ErrNoUser
	}
	return u, nil
}

func (m *memory) Tickets(ctx context.Context, tenant string) ([]Ticket, error) {
	found := []Ticket{}
	for key, t := range m.seen(ctx) {
		if key.tenant == tenant {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b Ticket) int { return cmp.Compare(a.ID, b.ID) })
	return found, nil
}

func (m *memory) Ticket(ctx context.Context, tenant, id string) (Ticket, error) {
	t, ok := m.seen(ctx)[ticketKey{tenant, id}]
	if !ok {
		return Ticket{}, ErrNoTicket
	}
	return t, nil
}

func (m *memory) Save(ctx context.Context, tenant string, t Ticket) error {
	return change(ctx, func(all tickets) { all[ticketKey{tenant, t.ID}] = t })
}

func (m *memory) Delete(ctx context.Context, tenant, id string) error {
	return change(ctx, func(all tickets) { delete(all, ticketKey{tenant, id}) })
}

func (m *memory) CarrierToken(_ context.Context, user string) (string, error) {
	if token, ok := m.tokens.Load(user); ok {
		return token.(string), nil
	}
	return "", ErrNoAccount
}

func (m *memory) SetCarrierToken(_ context.Context, user, token string) error {
	if token == "" {
		m.tokens.Delete(user)
	} else {
		m.tokens.Store(user, token)
	}
	return nil
}

func (m *memory) InTx(ctx context.Context, f func(context.Context) error) error {
	select {
	case m.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-m.writing }()
	own := maps.Clone(*m.tickets.Load())
	if err := f(context.WithValue(ctx, txKey{}, own)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.tickets.Store(&own)
	return nil
}

// seen returns the tickets as the transaction in ctx sees them, or as they have been committed.
func (m *memory) seen(ctx context.Context) tickets {
	if own, ok := ctx.Value(txKey{}).(tickets); ok {
		return own
	}
	return *m.tickets.Load()
}

func change(ctx context.Context, f func(tickets)) error {
	own, ok := ctx.Value(txKey{}).(tickets)
	if !ok {
		return errors.New("there is no transaction")
	}
	f(own)
	return nil
}
