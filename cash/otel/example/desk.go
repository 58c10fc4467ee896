package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"

	"github.com/cash-mcp/go-sdk/cash"
	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// serveDesk serves the tickets and what billing offers, until ctx ends.
func serveDesk(ctx context.Context, addr string, out io.Writer) error {
	stop, err := startTelemetry(ctx, "desk", out)
	if err != nil {
		return err
	}
	hook := cashotel.New(nil) // uses the global providers

	reg := registry.New(nil)
	d := &desk{open: map[string]bool{"T-1": true, "T-2": true}}
	reg.Namespace("tickets", "Questions that customers have sent.").Add(
		registry.Func("close", "Close a ticket.", d.Close, registry.Idempotent(true)),
	)
	agg := upstream.New(reg, &upstream.Options{Observe: hook}) // requests that are sent
	if err := mountBilling(ctx, agg); err != nil {
		return err
	}
	srv := cash.NewServer(reg, &cash.Options{
		Name: "desk", Version: "1.0.0",
		Serve: serve.Options{Observe: hook}, // requests that are served
	})
	hook.Watch("desk", srv.Stats)

	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	named := otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method + " " + r.URL.Path })
	web := &http.Server{Handler: otelhttp.NewHandler(mux, "desk", named), ReadHeaderTimeout: 10 * time.Second}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The desk is at http://%s/mcp\n", listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, srv.Shutdown(limit), web.Shutdown(limit), agg.Close(limit), stop(limit))
}

// mountBilling starts this program a second time, as the server for billing, and mounts it.
func mountBilling(ctx context.Context, agg *upstream.Aggregator) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	billing := upstream.Command{Path: self, Args: []string{"billing"}, Inherit: []string{endpointVariable}}
	if err := agg.Add(upstream.Server{Label: "billing", Endpoint: billing}); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return agg.Wait(limit)
}

// desk holds the tickets. It is safe for concurrent use.
type desk struct {
	mu   sync.Mutex
	open map[string]bool // by id
}

type ticket struct {
	ID string `json:"id" jsonschema:"Ticket, such as T-1."`
}

// Close closes a ticket. Its own spans are children of the call's.
func (d *desk) Close(ctx context.Context, in ticket) (string, error) {
	_, span := otel.Tracer("desk").Start(ctx, "UPDATE tickets")
	defer span.End()
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.open[in.ID]; !ok {
		return "", errors.New("no ticket has this id")
	}
	d.open[in.ID] = false
	return in.ID + " is closed.", nil
}
