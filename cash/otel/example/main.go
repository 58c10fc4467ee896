// Command example is the ticket desk of examples/embed with telemetry. README.md goes through it step by step.
//
//	go run ./example             the desk, with the flags that it has there
//	go run ./example carrier     the carrier, another company with an MCP server of its own
//	go run ./example call        an agent that calls a function of the desk
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	switch err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	switch {
	case len(args) > 0 && args[0] == "carrier":
		return serveCarrier(ctx, args[1:], stdout, stderr)
	case len(args) > 0 && args[0] == "call":
		return callDesk(ctx, args[1:], getenv, stdout, stderr)
	}
	return serveDesk(ctx, args, getenv, stdout, stderr)
}
