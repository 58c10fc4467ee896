package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// trees are the registries of all that is served.
type trees struct{ tools, resources, prompts *registry.Registry }

func newTrees() trees { return trees{registry.New(nil), registry.New(nil), registry.New(nil)} }

// catalogTrees returns the trees of a catalog file.
func catalogTrees(file string, log io.Writer) (trees, error) {
	c := catalog.New(nil)
	report, err := c.LoadFile(file)
	if err != nil {
		return trees{}, err
	}
	fmt.Fprintln(log, report)
	return trees{c.Tools(), c.Resources(), c.Prompts()}, nil
}

// mounted is a running aggregator. mount makes it.
type mounted struct {
	trees                      // the registries of the servers
	agg   *upstream.Aggregator // fills the trees
	cfg   *config.File
	log   *slog.Logger
}

// mount starts the servers of a configuration. It returns before they have answered.
func mount(cfg *config.File, t trees, log *slog.Logger) (*mounted, error) {
	opts := &upstream.Options{
		Name: cfg.Name, Version: cfg.Version,
		Resources: t.resources, Prompts: t.prompts,
		Mode:   cfg.Pins.Mode,
		Logger: log,
	}
	if cfg.Pins.File != "" {
		pins, err := pin.OpenFile(cfg.Pins.File)
		if err != nil {
			return nil, err
		}
		opts.Pins = pins
	}
	m := &mounted{trees: t, agg: upstream.New(t.tools, opts), cfg: cfg, log: log}
	for _, s := range cfg.Upstreams {
		if err := m.agg.Add(s); err != nil {
			m.close()
			return nil, err
		}
	}
	if err := m.agg.Discover(cfg.Manifests...); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// closeTimeout is the time for calls in flight at the end.
const closeTimeout = 5 * time.Second

// close ends the started servers. None is left when it returns.
func (m *mounted) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = m.agg.Close(ctx) // calls that take longer are cancelled
}

// settle waits until every server has been tried, at most for the given time.
func (m *mounted) settle(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	_ = m.agg.Wait(ctx) // slower servers appear later
}
