package main

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// mounted is what a configuration puts together.
type mounted struct {
	reg *registry.Registry   // what there is
	agg *upstream.Aggregator // where it comes from
	srv *cash.Server         // the three tools over it
}

// mount starts the servers of a configuration, and returns before they have
// answered.
func mount(cfg *upstream.Config, log *slog.Logger) (*mounted, error) {
	opts := &upstream.Options{
		Name: cfg.Name, Version: cfg.Version,
		Mode:   cfg.Pins.Mode,
		Logger: log,
	}
	if cfg.Pins.File != "" {
		pins, err := upstream.OpenPinFile(cfg.Pins.File)
		if err != nil {
			return nil, err
		}
		opts.Pins = pins
	}
	m := &mounted{reg: registry.New(nil)}
	m.agg = upstream.New(m.reg, opts)
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
	m.srv = cash.NewServer(m.reg, &cash.Options{
		Name: cmp.Or(cfg.Name, "aggregator"), Version: cfg.Version,
		Instructions: cfg.Instructions,
		SizeLimit:    cfg.SizeLimit,
		Serve:        &serve.Options{Logging: true, Logger: log}, // servers may log to clients
	})
	return m, nil
}

// closeTimeout is how long calls in flight may hold up the end.
const closeTimeout = 5 * time.Second

// close ends the servers that were started. None is left when it returns.
func (m *mounted) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = m.agg.Close(ctx) // calls that take longer are cancelled
}

// settle waits until every server has been tried, or for so long.
func (m *mounted) settle(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	_ = m.agg.Wait(ctx) // those that take longer appear when they are there
}
