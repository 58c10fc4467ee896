// Command aggregator puts the servers of a configuration file behind three tools: ordinary MCP
// servers from npm beside a CaSH server.
//
//	go run ./examples/aggregator                        shows a model's view of them, with costs
//	go run ./examples/aggregator -stdio                 MCP over standard input and output
//	go run ./examples/aggregator -http 127.0.0.1:8080   MCP over HTTP at /mcp
//	go run ./examples/aggregator -config FILE           with other servers
//	go run ./examples/aggregator -face gateway          the same as a gateway, or behind another face
//	go run ./examples/aggregator -catalog FILE          a catalog of package catalog; no server is
//	                                                    started without -config
//
// The servers are listed in config.yaml, which explains itself. Package cash/config makes a server
// of it, as for the command cash: this program adds the conversation, which walk.go shows. Events of
// the servers, and a line of each call, are logged to standard error. As a gateway, the aggregator
// also serves resources and prompts.
//
// # Limits
//
//   - The file is read once, at the start.
//   - Over HTTP everyone is anonymous, so entries for roles (visible_to) are visible to nobody.
//     Package embed, next door, shows callers.
//   - There is no command endpoint: it would start the servers for each request.
//   - The servers of config.yaml need Go and npx. A server that cannot be started is shown as
//     unavailable and tried again.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// servers is the default configuration file.
const servers = "examples/aggregator/config.yaml"

// faces are the names of all faces.
var faces = []string{"cash", "gateway", "proxy", "disclosure", "facade", "plain"}

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage and for invalid files.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("aggregator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("config", "", "the `file` that names the servers (default "+servers+", or none with -catalog)")
	recorded := flags.String("catalog", "", "serve the catalog in a `file`, without servers or beside those of -config")
	name := flags.String("face", "cash", "what clients see: "+strings.Join(faces, ", "))
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
	case !slices.Contains(faces, *name):
		fmt.Fprintf(stderr, "aggregator has no face %.40q, but %s\n", *name, strings.Join(faces, ", "))
		flags.Usage()
		return 2
	}
	f, err := read(*file, *recorded, *name, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	if err := start(ctx, f, *stdio, *addr, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "aggregator:", err)
		return 1
	}
	return 0
}

// Times of the start and of the end.
const (
	// startTimeout is the time that the first client waits for the servers, so that it sees them
	// all. Clients wait for 10 seconds or more.
	startTimeout = 5 * time.Second
	closeTimeout = 5 * time.Second // for calls in flight
)

// read reads the configuration, and checks the catalog.
func read(file, recorded, face string, log io.Writer) (*config.File, error) {
	f := new(config.File)
	if recorded != "" {
		report, err := catalog.New(nil).LoadFile(recorded)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(log, report)
	}
	if file != "" || recorded == "" {
		var err error
		if f, err = config.Load(cmp.Or(file, servers)); err != nil {
			return nil, err
		}
	}
	f.Name, f.Face, f.Catalog = cmp.Or(f.Name, "aggregator"), face, cmp.Or(recorded, f.Catalog)
	f.StartTimeout = cmp.Or(f.StartTimeout, startTimeout)
	return f, nil
}

func start(ctx context.Context, f *config.File, stdio bool, addr string, stdout, stderr io.Writer) error {
	level, walks := slog.LevelInfo, !stdio && addr == ""
	if walks {
		level = slog.LevelError // the page shows the rest
		if len(f.Upstreams)+len(f.Manifests) > 0 {
			fmt.Fprintln(stdout, "Starting the servers. The first time, they are downloaded and compiled.")
		}
	}
	srv, err := config.Start(ctx, f, &config.Options{Logger: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))})
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		_ = srv.Close(ctx) // calls that take longer are cancelled
	}()
	switch {
	case stdio:
		return serveStdio(ctx, srv)
	case addr != "":
		return serveHTTP(ctx, srv, addr, stderr)
	}
	return walk(ctx, srv, f.Face, stdout)
}
