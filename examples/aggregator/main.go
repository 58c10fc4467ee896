// Command aggregator puts the servers of a configuration file behind three
// tools: ordinary MCP servers from npm, side by side with a CaSH server.
//
//	go run ./examples/aggregator                        what a model sees of them, and what it costs
//	go run ./examples/aggregator -stdio                 MCP over standard input and output
//	go run ./examples/aggregator -http 127.0.0.1:8080   MCP over HTTP at /mcp
//	go run ./examples/aggregator -config FILE           with other servers
//
// What there is stands in config.yaml, which explains itself. mount.go puts it
// together, serve.go says how it is reached, and walk.go shows it. What happens
// to the servers is logged to standard error.
//
// # Limits
//
// The file is read once, at the start. Over HTTP everyone is anonymous, so that
// what is visible to roles only (visible_to) is visible to nobody: package
// embed, next door, shows callers. The servers of config.yaml need Go and npx; one that
// cannot be started is shown as unavailable, and tried again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage and for
// mistakes in the file.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("aggregator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("config", "examples/aggregator/config.yaml", "the `file` that names the servers")
	stdio := flags.Bool("stdio", false, "serve MCP over standard input and output")
	addr := flags.String("http", "", "serve MCP over HTTP on `address`, at the path /mcp")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || *stdio && *addr != "":
		fmt.Fprintln(stderr, "aggregator takes at most one of -stdio and -http, and no arguments")
		flags.Usage()
		return 2
	}
	cfg, err := upstream.ReadConfig(*file)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	if err := start(ctx, cfg, *stdio, *addr, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "aggregator:", err)
		return 1
	}
	return 0
}

func start(ctx context.Context, cfg *upstream.Config, stdio bool, addr string, stdout, stderr io.Writer) error {
	level := slog.LevelInfo
	if !stdio && addr == "" {
		level = slog.LevelError // the page says the rest
	}
	m, err := mount(cfg, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level})))
	if err != nil {
		return err
	}
	defer m.close()
	switch {
	case stdio:
		return serveStdio(ctx, m)
	case addr != "":
		return serveHTTP(ctx, m, addr, stderr)
	}
	return walk(ctx, m, stdout)
}
