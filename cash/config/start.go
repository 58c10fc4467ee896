package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// A File is a configuration.
type File = config.File

// Load reads a configuration file. The error joins a *[config.Error] for each problem, with line and column.
func Load(name string) (*File, error) { return config.Load(name) }

// Options configure [Start]. Nil is fine.
type Options struct {
	// Serve may change the options of the face: identity, hosts, middleware, hooks. Nil changes nothing.
	Serve func(*serve.Options)
	// Logger gets what operators need, with a line of each call ([control.Audit]). Never arguments or results. Nil
	// discards.
	Logger *slog.Logger
}

// A Server is a running configuration. It is safe for concurrent use.
type Server struct {
	Face // nil for the face endpoint
	opts Options

	tools, resources, prompts *registry.Registry
	agg                       *upstream.Aggregator
	controls                  *control.Controls
	retry                     atomic.Pointer[control.Retry]
	endpoint                  *endpoint.Endpoint // nil for other faces
	artifacts                 io.Closer          // nil if they are in memory

	mu   sync.Mutex // one reload at a time
	file *File
	kept []string // labels of servers that a reload has not swapped

	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// DefaultStartTimeout is the default of start_timeout.
const DefaultStartTimeout = 10 * time.Second

// Start starts a server, and waits until the servers behind it have been read, at most for start_timeout. It is an error
// if ctx ends before, or if a server is down that is required, or any if the start is strict. Rules and names of tools
// that match nothing are errors if all servers have been read, or if the start is strict; otherwise they are logged. All
// errors that have a place in the file are joined *[config.Error] values.
func Start(ctx context.Context, f *File, opts *Options) (*Server, error) {
	s := &Server{file: f, tools: registry.New(nil)}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Logger == nil {
		s.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if err := s.build(f); err != nil {
		s.closeNow()
		return nil, err
	}
	s.wait(ctx, s.agg, f)
	if err := ctx.Err(); err != nil {
		s.closeNow()
		return nil, err
	}
	if err := s.accepted(f, s.agg.Status(), nil, s.tools, s.resources, s.prompts); err != nil {
		s.closeNow()
		return nil, err
	}
	return s, nil
}

// build makes the parts of the server, from the servers behind it to the face.
func (s *Server) build(f *File) error {
	if face(f) == "gateway" { // the other faces serve tools only
		s.resources, s.prompts = registry.New(nil), registry.New(nil)
	}
	if err := s.load(f); err != nil {
		return err
	}
	agg, err := aggregator(f, s.opts.Logger, s.tools, s.resources, s.prompts)
	if err != nil {
		return err
	}
	s.agg = agg
	if err := mount(agg, f.Upstreams, f.Manifests); err != nil {
		return err
	}
	s.control(f)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.stopped.Go(func() { s.flush(ctx) })
	return s.serve(f)
}

// load loads the catalog, if there is one.
func (s *Server) load(f *File) error {
	if f.Catalog == "" {
		return nil
	}
	c := catalog.New(nil)
	report, err := c.LoadFile(f.Catalog)
	if err != nil {
		return err
	}
	s.opts.Logger.Info("catalog loaded", "file", f.Catalog, "report", report.String())
	if s.tools = c.Tools(); s.resources != nil {
		s.resources, s.prompts = c.Resources(), c.Prompts()
	}
	return nil
}

// face returns the name of the face of a file.
func face(f *File) string { return cmp.Or(f.Face, config.Faces[0]) }

// aggregator returns an aggregator for the servers of a file.
func aggregator(f *File, log *slog.Logger, tools, resources, prompts *registry.Registry) (*upstream.Aggregator, error) {
	o := &upstream.Options{Name: f.Name, Version: f.Version, Resources: resources, Prompts: prompts, Mode: f.Pins.Mode, Logger: log}
	if f.Pins.File != "" {
		pins, err := pin.OpenFile(f.Pins.File)
		if err != nil {
			return nil, err
		}
		o.Pins = pins
	}
	return upstream.New(tools, o), nil
}

func mount(agg *upstream.Aggregator, servers []upstream.Server, manifests []upstream.Discovery) error {
	for _, u := range servers {
		if err := agg.Add(u); err != nil {
			return err
		}
	}
	if len(manifests) == 0 {
		return nil
	}
	return agg.Discover(manifests...)
}

// wait waits until the servers have been tried, at most for the time in the file.
func (s *Server) wait(ctx context.Context, agg *upstream.Aggregator, f *File) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(f.StartTimeout, DefaultStartTimeout))
	defer cancel()
	_ = agg.Wait(ctx) // their states tell the rest
}

// accepted returns why a configuration cannot be served. tried are the states of servers that are new, others those of
// servers that run already. What only may be a mistake is logged.
func (s *Server) accepted(f *File, tried, others []upstream.Status, registries ...*registry.Registry) error {
	var problems []error
	whole := !slices.ContainsFunc(others, func(st upstream.Status) bool { return !read(st) })
	for _, st := range tried {
		if read(st) {
			continue
		}
		whole = false
		required := f.Strict || slices.ContainsFunc(st.Labels, func(l string) bool { return slices.Contains(f.Required, l) })
		err := fmt.Errorf("%s: the server is %v: %w", cmp.Or(strings.Join(st.Labels, ", "), st.Endpoint), st.State, cmp.Or(st.Err, errSlow))
		if required {
			problems = append(problems, err)
		} else {
			s.opts.Logger.Warn("starting without a server", "problem", err)
		}
	}
	present := slices.DeleteFunc(registries, func(r *registry.Registry) bool { return r == nil })
	for _, e := range f.Unmatched(slices.Concat(tried, others), present...) {
		if whole || f.Strict {
			problems = append(problems, e)
		} else {
			s.opts.Logger.Warn("something of the configuration matches nothing, perhaps because a server is down", "problem", e)
		}
	}
	return errors.Join(problems...)
}

var errSlow = errors.New("it has not answered in time: raise start_timeout, or look why it is slow")

// read reports whether the catalog of a server is known.
func read(st upstream.Status) bool {
	return st.State == upstream.Connected || st.State == upstream.Idle || st.State == upstream.Failing
}

// Wait waits until each of the servers behind s has been tried, also those of a reload. The error is that of ctx.
func (s *Server) Wait(ctx context.Context) error { return s.agg.Wait(ctx) }

// Status reports on the servers behind s.
func (s *Server) Status() []upstream.Status { return s.agg.Status() }

// Registry returns the registry of the tools, for those who look at all of it. It must not be changed.
func (s *Server) Registry() *registry.Registry { return s.tools }

// Aggregator returns the aggregator of the servers behind s, for its operator.
func (s *Server) Aggregator() *upstream.Aggregator { return s.agg }

// Controls returns the controls, for the operator who settles approvals.
func (s *Server) Controls() *control.Controls { return s.controls }

// Close ends the server and those behind it. Calls in flight may finish until ctx ends; its error is that of ctx.
func (s *Server) Close(ctx context.Context) error {
	var errs []error
	if s.Face != nil {
		errs = append(errs, s.Face.Shutdown(ctx))
	}
	if s.stop != nil {
		s.stop()
	}
	s.stopped.Wait()
	if s.agg != nil {
		errs = append(errs, s.agg.Close(ctx))
	}
	if s.artifacts != nil {
		errs = append(errs, s.artifacts.Close())
	}
	return errors.Join(errs...)
}

// closeNow ends a server that has not started.
func (s *Server) closeNow() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.Close(ctx)
}
