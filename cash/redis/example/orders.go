package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// orders are the functions of a replica. They know nothing of the others.
type orders struct {
	replica string
	notes   atomic.Int64 // runs of note
}

// An Order names an order.
type Order struct {
	ID string `json:"id" jsonschema:"Order number."`
}

func (o *orders) registry() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders of customers.").Add(
		registry.Func("get", "Show an order.", o.get, registry.ReadOnly),
		registry.Func("history", "Show all changes of an order.", o.history, registry.ReadOnly),
		registry.Func("note", "Add a note to an order.", o.note),
		registry.Func("export", "Write an order to the archive, and return its pages.", o.export),
		registry.Func("refund", "Pay the price of an order back.", o.refund, registry.Tags("money")),
		registry.Func("cancel", "Cancel an order for good.", o.cancel, registry.Destructive(true)),
	)
	return reg
}

func (o *orders) get(_ context.Context, in Order) (string, error) {
	return fmt.Sprintf("%s is packed, says replica %s.", in.ID, o.replica), nil
}

func (o *orders) history(_ context.Context, in Order) (string, error) {
	return lines("%s was moved, step %d.", in.ID, 1000), nil
}

// note takes a while, as a database does.
func (o *orders) note(context.Context, Order) (string, error) {
	o.notes.Add(1)
	time.Sleep(10 * time.Millisecond)
	return "noted", nil
}

func (o *orders) export(_ context.Context, in Order) (string, error) {
	return fmt.Sprintf("%s was archived by replica %s.\n", in.ID, o.replica) + lines("%s, page %d.", in.ID, 2000), nil
}

func (o *orders) refund(_ context.Context, in Order) (string, error) {
	return fmt.Sprintf("%s was paid back by replica %s.", in.ID, o.replica), nil
}

func (o *orders) cancel(_ context.Context, in Order) (string, error) {
	return fmt.Sprintf("%s was cancelled by replica %s.", in.ID, o.replica), nil
}

// lines returns n numbered lines about an order.
func lines(format, id string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", id, i+1)
	}
	return b.String()
}
