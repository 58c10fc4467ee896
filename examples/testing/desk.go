// Package desk is a small server with roles. Its tests show how to test one.
package desk

import (
	"context"
	"errors"
	"strings"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

type ticketRef struct {
	ID string `json:"id" jsonschema:"Id of the ticket." cash:"pattern='^T-[0-9]+$',example=T-1"`
}

type ticket struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
}

var errNoTicket = errors.New("there is no such ticket; tickets.list shows all")

var tickets = []ticket{{"T-1", "Where is my parcel?"}, {"T-2", "The cup is broken."}}

func get(_ context.Context, in ticketRef) (ticket, error) {
	for _, t := range tickets {
		if t.ID == in.ID {
			return t, nil
		}
	}
	return ticket{}, errNoTicket
}

func list(context.Context, struct{}) ([]ticket, error) { return tickets, nil }

// history is longer than a model wants to read.
func history(context.Context, struct{}) (string, error) {
	return strings.Repeat("The parcel was moved.\n", 1000), nil
}

func count(context.Context, struct{}) (int, error) { return len(tickets), nil }

func newRegistry() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("tickets", "Questions that customers have sent.").Add(
		registry.Func("get", "Read a ticket.", get, registry.ReadOnly),
		registry.Func("list", "List all tickets.", list, registry.ReadOnly),
		registry.Func("history", "Read what has happened to all tickets.", history, registry.ReadOnly),
	)
	admins := registry.VisibleTo(registry.Roles("admin"))
	reg.Namespace("staff", "How the desk is doing.", admins).Add(
		registry.Func("count", "Count the tickets that are open.", count, registry.ReadOnly),
	)
	return reg
}

func newServer() *cash.Server {
	return cash.NewServer(newRegistry(), &cash.Options{Name: "desk", Version: "1.0.0"})
}
