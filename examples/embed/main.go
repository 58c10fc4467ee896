// Command embed is an HTTP service with routes, a login and a database of its own, a ticket desk, that also has an MCP
// endpoint at /mcp. README.md is a guide to it. The service is in package desk.
//
//	export DESK_KEYS=$(openssl rand -hex 32)
//	go run ./examples/embed                 serves on 127.0.0.1:8080
//	go run ./examples/embed -token carla    prints a token for a user
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

	"github.com/cash-mcp/go-sdk/examples/embed/desk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	switch err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	cfg, err := desk.Configure(args, getenv, stderr)
	if err != nil {
		return err
	}
	s, err := desk.New(cfg, stderr, nil)
	if err != nil {
		return err
	}
	return s.Run(ctx, stdout)
}
