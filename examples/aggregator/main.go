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
// The servers are listed in config.yaml, which explains itself. mount.go starts and mounts them,
// face.go makes the faces, serve.go serves one, and walk.go shows a conversation. Events of the
// servers are logged to standard error. As a gateway, the aggregator also serves their resources
// and prompts.
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

	"github.com/cash-mcp/go-sdk/cash/upstream/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// servers is the default configuration file.
const servers = "examples/aggregator/config.yaml"

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage and for invalid files.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("aggregator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	config := flags.String("config", "", "the `file` that names the servers (default "+servers+", or none with -catalog)")
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
	cfg, t, err := read(*config, *recorded, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	if err := start(ctx, cfg, t, *name, *stdio, *addr, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "aggregator:", err)
		return 1
	}
	return 0
}

// read reads the configuration and the catalog.
func read(file, recorded string, log io.Writer) (*config.File, trees, error) {
	t, cfg := newTrees(), new(config.File)
	var err error
	if recorded != "" {
		if t, err = catalogTrees(recorded, log); err != nil {
			return nil, t, err
		}
	}
	if file != "" || recorded == "" {
		cfg, err = config.Load(cmp.Or(file, servers))
	}
	return cfg, t, err
}

func start(ctx context.Context, cfg *config.File, t trees, name string, stdio bool, addr string, stdout, stderr io.Writer) error {
	level := slog.LevelInfo
	if !stdio && addr == "" {
		level = slog.LevelError // the page shows the rest
	}
	if name != "gateway" { // the other faces serve tools only
		t.resources, t.prompts = nil, nil
	}
	m, err := mount(cfg, t, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level})))
	if err != nil {
		return err
	}
	defer m.close()
	f := newFace(name, m)
	switch {
	case stdio:
		return serveStdio(ctx, m, f)
	case addr != "":
		return serveHTTP(ctx, m, f, addr, stderr)
	}
	return walk(ctx, m, name, f, stdout)
}
