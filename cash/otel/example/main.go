// Command example is an HTTP service with telemetry: a ticket desk with an MCP endpoint, behind it a server for billing
// in a process of its own, and an agent that calls them. README.md goes through it step by step.
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

const usage = `example [-addr HOST:PORT] serve
example [-addr HOST:PORT] call FUNCTION ARGUMENTS
example billing`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("example", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "address of the desk")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() == 1 && flags.Arg(0) == "serve":
		return serveDesk(ctx, *addr, out)
	case flags.NArg() == 1 && flags.Arg(0) == "billing":
		return serveBilling(ctx)
	case flags.NArg() == 3 && flags.Arg(0) == "call":
		return callDesk(ctx, "http://"+*addr+"/mcp", flags.Arg(1), flags.Arg(2), out)
	}
	return errors.New(usage)
}
