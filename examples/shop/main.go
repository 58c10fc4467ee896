// Command shop is a working server for the examples of the CaSH RFC: orders, inventory and
// customers behind three tools.
//
//	go run ./examples/shop                        a model's conversation with it, with sizes
//	go run ./examples/shop -stdio                 MCP over standard input and output
//	go run ./examples/shop -http 127.0.0.1:8080   MCP over HTTP at /mcp
//	go run ./examples/shop -face gateway          the same shop as a gateway, or behind another face
//	go run ./examples/shop -catalog FILE          a catalog of package catalog in place of the shop
//
// The command endpoint is not MCP: it answers one request and ends. With a request on a pipe it
// needs no -stdio:
//
//	echo '{"action":"list_tools"}' | go run ./examples/shop -face endpoint -stdio
//
// With -state, what one process orders, the next one finds:
//
//	go run ./examples/shop -face endpoint -stdio -state shop.json
//
// The files:
//
//   - package store is the business and knows nothing of MCP;
//   - register.go fills the registry, and hints.go adds next steps to errors;
//   - state.go keeps the state in a file;
//   - face.go and endpoint.go make the faces, and serve.go serves one;
//   - skills/ has texts for longer tasks.
//
// # Limits
//
// The data is made up at each start and kept in memory, unless there is a file for what changes. With a file,
// calls run one after the other. Everyone may do everything: package embed, next door, shows callers and roles.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage and for an unreadable file.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("shop", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("face", "cash", "what clients see: "+strings.Join(faces, ", "))
	file := flags.String("catalog", "", "serve the catalog in a `file` instead of the shop")
	state := flags.String("state", "", "keep orders and stock in a `file`, which several processes may use")
	stdio := flags.Bool("stdio", false, "serve MCP over standard input and output, or as the endpoint one request")
	addr := flags.String("http", "", "serve MCP over HTTP on `address`, at the path /mcp")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || *stdio && *addr != "":
		fmt.Fprintln(stderr, "shop takes at most one of -stdio and -http, and no arguments")
		flags.Usage()
		return 2
	case !slices.Contains(faces, *name):
		fmt.Fprintf(stderr, "shop has no face %.40q, but %s\n", *name, strings.Join(faces, ", "))
		flags.Usage()
		return 2
	case *file != "" && *state != "":
		fmt.Fprintln(stderr, "shop takes no -state with a -catalog, which never changes")
		flags.Usage()
		return 2
	case *name == "endpoint" && *addr != "":
		fmt.Fprintln(stderr, "shop as the endpoint takes no -http: it is a process for each request")
		flags.Usage()
		return 2
	}
	goods, err := open(*name, *file, *state, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "shop:", err)
		return 2
	}
	if *name == "endpoint" {
		if request := requested(os.Stdin, *stdio); request != nil {
			return newEndpoint(goods).Run(ctx, request, stdout)
		}
	}
	if err := start(ctx, goods, *name, *stdio, *addr, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "shop:", err)
		return 1
	}
	return 0
}

// open returns the goods of a catalog, or else of the shop with its state. Files may be empty.
func open(face, catalog, state string, stderr io.Writer) (*goods, error) {
	if catalog != "" {
		return catalogGoods(catalog, stderr)
	}
	shop := store.New()
	g := shopGoods(shop, face)
	if state != "" {
		k, err := keep(shop, state)
		if err != nil {
			return nil, err
		}
		g.middleware = append(g.middleware, k.middleware)
	}
	return g, nil
}

func start(ctx context.Context, g *goods, name string, stdio bool, addr string, stdout, stderr io.Writer) error {
	if name == "endpoint" {
		return walkEndpoint(ctx, g, stdout)
	}
	f := newFace(name, g)
	switch {
	case stdio:
		err := f.Run(ctx, &mcp.StdioTransport{})
		if ctx.Err() != nil {
			return nil // stopped by a signal, as intended
		}
		return err
	case addr != "":
		return serveHTTP(ctx, f, addr, stderr)
	}
	return walk(ctx, g, name, f, stdout)
}
