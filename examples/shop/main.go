// Command shop is the world of the CaSH RFC's examples as a working server:
// orders, inventory and customers behind three tools.
//
//	go run ./examples/shop                        a model's conversation with it, with sizes
//	go run ./examples/shop -stdio                 MCP over standard input and output
//	go run ./examples/shop -http 127.0.0.1:8080   MCP over HTTP at /mcp
//
// The business is in package store and knows nothing of MCP. What it takes to
// serve it is register.go (what there is), hints.go (what to do after an error)
// and serve.go (how to reach it); skills/ has texts for longer tasks.
//
// # Limits
//
// The data are made up at each start and kept in memory, and everyone may do
// everything: package embed, next door, shows callers and roles.
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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/registry"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("shop", flag.ContinueOnError)
	flags.SetOutput(stderr)
	stdio := flags.Bool("stdio", false, "serve MCP over standard input and output")
	addr := flags.String("http", "", "serve MCP over HTTP on `address`, at the path /mcp")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || *stdio && *addr != "":
		fmt.Fprintln(stderr, "shop takes at most one of its flags, and no arguments")
		flags.Usage()
		return 2
	}
	if err := start(ctx, *stdio, *addr, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "shop:", err)
		return 1
	}
	return 0
}

func start(ctx context.Context, stdio bool, addr string, stdout, stderr io.Writer) error {
	reg := newRegistry(store.New())
	srv := newServer(reg)
	switch {
	case stdio:
		err := srv.Run(ctx, &mcp.StdioTransport{})
		if ctx.Err() != nil {
			return nil // stopped by a signal, as asked
		}
		return err
	case addr != "":
		return serveHTTP(ctx, srv, addr, stderr)
	}
	return walk(ctx, reg, srv, stdout)
}

func newServer(src registry.Source) *cash.Server {
	return cash.NewServer(src, &cash.Options{
		Name: "shop", Version: "1.0.0",
		HelpHint:   "Behind it: orders, stock and customers of a shop.",
		Middleware: []registry.Middleware{hints},
	})
}
