// Command embed is an HTTP service with routes, a login and a database of its own, a ticket desk, that also has an MCP
// endpoint at /mcp. README.md is a guide to it.
//
//	export DESK_KEYS=$(openssl rand -hex 32)
//	go run ./examples/embed                 serves on 127.0.0.1:8080
//	go run ./examples/embed -token carla    prints a token for a user
//
// The service: config.go, service.go, login.go, token.go, trace.go, address.go, desk.go, store.go. What MCP adds:
// mcp.go, carrier.go.
//
// # Limits
//
// The database is in memory (memory.go), with three users and their tickets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
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

// run serves until ctx ends, or prints a token.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	cfg, err := configure(args, getenv, stderr)
	if err != nil {
		return err
	}
	if cfg.tokenFor != "" {
		fmt.Fprintln(stdout, cfg.login(nil, nil).token(cfg.tokenFor, time.Now().Add(8*time.Hour)))
		return nil
	}
	log := slog.New(traceHandler{slog.NewJSONHandler(stderr, nil)})
	listener, err := net.Listen("tcp", cfg.addr)
	if err != nil {
		return err
	}
	s, err := newService(cfg, newMemory(), log)
	if err != nil {
		listener.Close()
		return err
	}
	fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr())
	return s.serve(ctx, listener)
}
