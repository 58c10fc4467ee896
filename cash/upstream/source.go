package upstream

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// source is one manifest that is followed. One goroutine at a time has it.
type source struct {
	Discovery // its URL is in canonical form
	agg       *Aggregator
	host      string // of the URL, in canonical form
	fetcher   *manifest.Fetcher
	now       func() time.Time

	last    *manifest.Fetched // nil until there is one
	err     error             // of the last fetch
	pause   time.Duration     // before it is repeated
	removed bool              // by the operator

	// Guarded by the lock of the discovery.
	up       *upstream  // nil until it is mounted
	endpoint string     // of up; empty until there is one
	failed   *CallError // why there is no manifest at the moment; nil if there is one
	since    time.Time  // of failed
}

// newSource returns the source of a manifest. Errors do not show the URL, which
// may hold secrets.
func (a *Aggregator) newSource(d Discovery) (*source, error) {
	u, err := manifest.CheckEndpoint(d.URL, d.URL)
	if err != nil {
		return nil, errors.New("its URL is not one of https, with a plain host and no user name (RFC 5.4.2)")
	}
	d.URL = u.String()
	s := &source{Discovery: d, agg: a, host: u.Host}
	if _, ok := registry.CanonicalPath(d.Label); !ok {
		return nil, fmt.Errorf("the label %.64q is not a path of labels", d.Label)
	}
	t := d.Server
	t.Label, t.Endpoint, t.Namespace = cmp.Or(d.Label, "any"), nowhere{s.host}, ""
	if s.Server, err = t.withDefaults(); err != nil {
		return nil, err
	}
	o := a.opts.Fetch
	// Copies: there may be room behind these slices, which others write to.
	o.Trusted, o.Allow = slices.Concat(o.Trusted, d.Trust), slices.Concat(o.Allow, d.Allow)
	s.Allow = o.Allow
	if s.now = o.Now; s.now == nil {
		s.now = time.Now
	}
	if len(d.Header) > 0 {
		o.Header = func(host string) http.Header {
			if host == s.host {
				return d.Header
			}
			return nil
		}
	}
	s.fetcher, err = manifest.NewFetcher(&o)
	return s, err
}

// placeholder is what stands at the operator's label until there is a manifest.
func (s *source) placeholder() *upstream {
	cfg := s.Server
	cfg.Endpoint = nowhere{s.host}
	u := newUpstream(s.agg, cfg, []mount{s.mountAtLabel(s.Description)})
	u.discovered, u.held = true, &CallError{Class: Unreachable, Reason: "its manifest has not been fetched yet"}
	u.state, u.err = Down, u.held
	return u
}

func (s *source) mountAtLabel(description string) mount {
	return mount{label: s.Label, description: description}
}

// fetch fetches the manifest. A failure leaves the last one as it was.
func (s *source) fetch(ctx context.Context) {
	got, err := s.fetcher.Fetch(ctx, s.URL, s.last)
	if ctx.Err() != nil {
		return
	}
	log := s.agg.opts.Logger.With("host", s.host)
	if s.err = err; err != nil {
		log.Warn("no manifest", "error", err, "cause", causeOf(err))
		return
	}
	if s.last == nil || got.Manifest != s.last.Manifest {
		for _, w := range got.Manifest.Warnings() {
			log.Info("manifest", "warning", w)
		}
	}
	s.last = got
}

// causeOf is what lies behind the words of a failed fetch, nil if nothing does.
// The URL is left out, which may hold secrets.
func causeOf(err error) error {
	var failed *manifest.FetchError
	if !errors.As(err, &failed) {
		return nil
	}
	var request *url.Error
	if errors.As(failed.Err, &request) {
		return request.Err
	}
	return failed.Err
}

// hold makes what the manifest described unavailable. What is not transient is
// held in the same way: nothing goes to where it leads (R133).
func (s *source) hold() {
	if s.failed == nil {
		s.since = time.Now()
	}
	s.failed = s.failure()
	if s.up != nil {
		s.up.hold(s.failed)
	}
}

// failure is why there is no manifest.
func (s *source) failure() *CallError {
	e := &CallError{Class: Unreachable, Reason: "its manifest cannot be fetched", Err: s.err}
	var failed *manifest.FetchError
	if !errors.As(s.err, &failed) {
		return e
	}
	switch failed.Kind {
	case manifest.KindInvalid:
		e.Class, e.Reason = Malformed, "its manifest is not valid"
	case manifest.KindUnsafe:
		e.Class, e.Reason = Redirected, "its manifest leads elsewhere"
	}
	e.Reason += " (" + clean.Line(failed.Reason, maxReason) + ")"
	e.RetryAfter = failed.RetryAfter
	return e
}

// status is that of a manifest for which nothing is mounted, as far as one has
// failed. The caller holds the lock of the discovery.
func (s *source) status() (Status, bool) {
	if s.up != nil || s.failed == nil {
		return Status{}, false
	}
	return Status{Endpoint: s.Discovery.String(), State: Down, Since: s.since, Err: s.failed}, true
}

// mount lets the server stand where it should: as it is, if nothing has changed.
func (s *source) mount(mounts []mount) error {
	old := s.up
	if old != nil && s.endpoint == s.last.Endpoint && slices.Equal(old.mounts, mounts) {
		old.hold(nil)
		return nil
	}
	cfg := s.Server
	cfg.Label, cfg.Endpoint = mounts[0].label, s.reach()
	u := newUpstream(s.agg, cfg, mounts)
	u.discovered = true
	if s.Label == "" { // labels come and go as the server likes, pins must not
		u.pins = HTTP{URL: s.URL}.String()
	}
	if err := s.agg.replace(old, u); err != nil {
		return err
	}
	s.up, s.endpoint = u, s.last.Endpoint
	s.agg.opts.Logger.Info("mounted by its manifest", "host", s.host, "labels", u.status().Labels)
	return nil
}

// reach is how the endpoint of the manifest is reached: at public addresses, and
// such as the operator allows.
func (s *source) reach() HTTP {
	o := s.agg.opts.Fetch
	h := HTTP{URL: s.last.Endpoint}
	if u, err := url.Parse(h.URL); err == nil && u.Scheme == "https" && u.Host == s.host {
		h.Header = s.Header
	}
	if o.Transport != nil {
		h.Client = &http.Client{Transport: shared{o.Transport}}
		return h
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Resolver: o.Resolver, Control: manifest.DialControl(s.Allow...)}
	h.Client = &http.Client{Transport: &http.Transport{
		Proxy: o.Proxy, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 1 << 20,
	}}
	return h
}

// shared is a transport whose idle connections are not ours to close.
type shared struct{ http.RoundTripper }
