package desk

import (
	"context"
	"errors"
)

// A User is somebody who works at a tenant's desk.
type User struct {
	ID     string
	Tenant string
	Roles  []string
}

// A Ticket is a customer's question.
type Ticket struct {
	ID       string `json:"id"`
	Subject  string `json:"subject"`
	Status   string `json:"status"` // open or closed
	ClosedBy string `json:"closed_by,omitempty"`
}

var (
	ErrNoUser    = errors.New("no such user")
	ErrNoTicket  = errors.New("no ticket has this id: list the tickets to find it")
	ErrNoAccount = errors.New("no account is connected")
	errStore     = errors.New("the database does not answer: try again later")
)

// A Store is the database of the service.
type Store interface {
	// User returns a user, or ErrNoUser.
	User(ctx context.Context, id string) (User, error)
	// Tickets returns the tickets of a tenant by id.
	Tickets(ctx context.Context, tenant string) ([]Ticket, error)
	// Ticket returns a ticket of a tenant, or ErrNoTicket.
	Ticket(ctx context.Context, tenant, id string) (Ticket, error)
	// Save and Delete change a ticket of a tenant, in a transaction.
	Save(ctx context.Context, tenant string, t Ticket) error
	Delete(ctx context.Context, tenant, id string) error
	// CarrierToken returns a user's token for the carrier, or ErrNoAccount. SetCarrierToken stores it; empty removes it.
	CarrierToken(ctx context.Context, user string) (string, error)
	SetCarrierToken(ctx context.Context, user, token string) error
	// InTx runs f in a transaction, which f's context has. An error of f, or the end of ctx, rolls it back.
	InTx(ctx context.Context, f func(ctx context.Context) error) error
}

// inTx wraps a method that changes something: each call has a transaction of its own, and one that fails leaves nothing
// behind.
func inTx[In, Out any](s Store, f func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		err = s.InTx(ctx, func(ctx context.Context) error {
			out, err = f(ctx, in)
			return err
		})
		return out, err
	}
}
