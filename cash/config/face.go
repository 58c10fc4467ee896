package config

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/manifest"
)

// A Face serves clients. Each face of this module is one.
type Face interface {
	Run(ctx context.Context, transport mcp.Transport) error
	Shutdown(ctx context.Context) error
	LiveHandler() http.Handler
	ReadyHandler() http.Handler
}

// hosted is a face that serves HTTP. It is a method of each, and of the server with other paths.
type hosted interface{ Handler() http.Handler }

// serve makes the face.
func (s *Server) serve(f *File) (err error) {
	if face(f) == "endpoint" {
		s.endpoint = endpoint.New(s.tools, &endpoint.Options{Name: f.Name, Middleware: s.controls.Middleware()})
		return nil
	}
	o := serve.Options{
		Instructions: f.Instructions, Controls: s.controls, Repair: f.TolerantArgs, Logging: true, Logger: s.opts.Logger,
	}
	if s.opts.Serve != nil {
		s.opts.Serve(&o)
	}
	switch face(f) {
	case "gateway", "proxy":
		s.Face, err = s.gateway(f, o)
	case "disclosure":
		s.Face = disclosure.NewServer(s.tools, &disclosure.Options{Name: f.Name, Version: f.Version, Serve: o, Tool: true})
	case "facade":
		s.Face = facade.NewServer(s.tools, &facade.Options{Name: f.Name, Version: f.Version, Serve: o, Tools: true})
	case "plain":
		s.Face = plain.NewServer(s.tools, &plain.Options{Name: f.Name, Version: f.Version, Serve: o})
	default:
		c := cashOptions(f, o)
		if err := c.Check(); err != nil {
			return err
		}
		s.Face = cash.NewServer(s.tools, c)
	}
	return err
}

func cashOptions(f *File, o serve.Options) *cash.Options {
	return &cash.Options{Name: f.Name, Version: f.Version, Serve: o, SizeLimit: f.SizeLimit}
}

func (s *Server) gateway(f *File, o serve.Options) (Face, error) {
	g := &gateway.Options{Name: f.Name, Version: f.Version, Serve: o, CacheStable: f.CacheStable, TopK: f.TopK}
	if face(f) == "proxy" {
		g.Mode = gateway.Proxy
	} else {
		g.Resources, g.Prompts = s.resources, s.prompts
	}
	a := f.Artifacts
	w := &firewall.Options{Inline: a.Inline, MaxView: a.MaxView, Logger: s.opts.Logger}
	if f.Redact != nil {
		w.Redact = redact.New(f.Redact...)
	}
	limits := firewall.MemoryOptions{
		MaxBytes: a.MaxBytes, MaxBytesPerOwner: a.MaxBytesPerOwner, MaxArtifacts: a.Max, MaxPerOwner: a.MaxPerOwner, MaxAge: a.MaxAge,
	}
	if a.Dir == "" {
		w.Store = firewall.NewMemory(&limits)
	} else {
		d, err := disk.Open(a.Dir, &disk.Options{
			MaxBytes: a.MaxBytes, MaxBytesPerOwner: a.MaxBytesPerOwner, MaxArtifacts: a.Max, MaxPerOwner: a.MaxPerOwner, MaxAge: a.MaxAge,
			Logger: s.opts.Logger,
		})
		if err != nil {
			return nil, err
		}
		w.Store, s.artifacts = d, d
	}
	g.Firewall = firewall.New(w)
	return gateway.NewServer(s.tools, g), nil
}

// control makes the controls. All are there, so that a reload can turn them on; with nothing in the file, they do
// nothing.
func (s *Server) control(f *File) {
	s.controls = &control.Controls{
		Audit: &control.Audit{Logger: s.opts.Logger}, // the diagnostics of section 4.5
		Quota: control.NewQuota(f.RateLimits),
		Retry: &control.Retry{Latest: s.retry.Load},
	}
	p := control.PolicyOptions{}
	if f.Policy != nil {
		p = *f.Policy
	}
	p.Approvals = control.NewApprovals(f.Approval)
	s.controls.Policy = control.NewPolicy(&p)
	c := control.CacheOptions{}
	if f.Cache != nil {
		c = *f.Cache
	}
	results := f.Results
	c.Store = control.NewResults(&results)
	s.controls.Cache = control.NewCache(&c)
	s.setRetry(f)
}

func (s *Server) setRetry(f *File) {
	r := f.Retry
	if r == nil {
		r = new(control.Retry)
	}
	s.retry.Store(r)
}

// flush drops cached results when the catalog changes (gateway surface, section 4.6).
func (s *Server) flush(ctx context.Context) {
	for {
		changed := s.tools.Changed()
		if err := s.controls.Cache.Flush(ctx); err != nil && ctx.Err() == nil {
			s.opts.Logger.Warn("cached results could not be dropped", "error", err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Handler serves MCP at /mcp, and for those who watch the server /livez and /readyz. The face cash adds its manifest.
// Mount it outside of nothing: it has no login of its own, but that of [Options].Serve. It is nil for the face endpoint.
func (s *Server) Handler() http.Handler {
	face, ok := s.Face.(hosted)
	if !ok {
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", face.Handler())
	mux.Handle("/livez", s.LiveHandler())
	mux.Handle("/readyz", s.ReadyHandler())
	if c, ok := s.Face.(*cash.Server); ok {
		mux.Handle(manifest.WellKnownPath, c.ManifestHandler())
	}
	return mux
}

// Answer serves one request of the face endpoint and returns the exit status; see [endpoint.Endpoint.Run]. It is an
// error with another face.
func (s *Server) Answer(ctx context.Context, in io.Reader, out io.Writer) (int, error) {
	if s.endpoint == nil {
		return 1, errors.New("the face is not endpoint")
	}
	return s.endpoint.Run(ctx, in, out), nil
}
