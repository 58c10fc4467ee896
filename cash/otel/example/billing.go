package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// serveBilling serves invoices on standard input and output. Nothing is printed there: it is the connection.
func serveBilling(ctx context.Context) error {
	stop, err := startTelemetry(ctx, "billing", nil)
	if err != nil {
		return err
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("invoice", "Find the invoice of a ticket.", invoice, registry.ReadOnly))
	srv := plain.NewServer(reg, &plain.Options{Name: "billing", Serve: serve.Options{Observe: cashotel.New(nil)}})
	err = srv.Run(ctx, &mcp.StdioTransport{})
	limit, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return errors.Join(err, stop(limit))
}

type invoiceQuery struct {
	Ticket string `json:"ticket" jsonschema:"Ticket, such as T-1."`
}

func invoice(_ context.Context, in invoiceQuery) (string, error) {
	return fmt.Sprintf("Ticket %s is on invoice 7.", in.Ticket), nil
}
