package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/discover"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// source is one manifest of a discovery. Only one goroutine at a time uses it.
type source struct {
	Discovery // its URL is in canonical form
	*discover.Follower
	agg     *Aggregator
	removed bool // by the operator

	// The following is guarded by the lock of the discovery.
	up       *upstream  // nil until it is mounted
	endpoint string     // endpoint of up; empty until there is one
	failed   *CallError // why there is no manifest now; nil if there is one
	since    time.Time  // start of failed
}

// newSource returns the source of a manifest. Its errors do not show the URL, which may hold secrets.
func (a *Aggregator) newSource(d Discovery) (*source, error) {
	o := &discover.Options{Fetch: a.opts.Fetch, Header: d.Header, Logger: a.opts.Logger}
	// Copies, because others may append to these slices.
	o.Fetch.Trusted, o.Fetch.Allow = slices.Concat(o.Fetch.Trusted, d.Trust), slices.Concat(o.Fetch.Allow, d.Allow)
	f, err := discover.Follow(d.URL, o)
	if err != nil {
		return nil, err
	}
	d.URL = f.URL()
	if _, ok := registry.CanonicalPath(d.Label); !ok {
		return nil, fmt.Errorf("the label %.64q is not a path of labels", d.Label)
	}
	if d.Server.Credentials != nil {
		return nil, errors.New("credentials of callers need a server at an address that you give: mount it with Add")
	}
	t := d.Server
	t.Label, t.Endpoint, t.Namespace = cmp.Or(d.Label, "any"), noEndpoint{f.Host()}, ""
	if d.Server, err = t.withDefaults(); err != nil {
		return nil, err
	}
	return &source{Discovery: d, Follower: f, agg: a}, nil
}

// placeholder returns the upstream at the operator's label until there is a manifest.
func (s *source) placeholder() *upstream {
	cfg := s.Server
	cfg.Endpoint = noEndpoint{s.Host()}
	u := newUpstream(s.agg, cfg, []mount{s.mountAtLabel(s.Description)}, true)
	u.link.held = &CallError{Class: Unreachable, Reason: "its manifest has not been fetched yet"}
	u.link.state, u.link.err = Down, u.link.held
	return u
}

func (s *source) mountAtLabel(description string) mount {
	return mount{Label: s.Label, Description: description}
}

// hold makes the manifest's server unavailable. Permanent failures hold it too: nothing is sent to its endpoint
// (R133).
func (s *source) hold() {
	if s.failed == nil {
		s.since = time.Now()
	}
	s.failed = s.failure()
	if s.up != nil {
		s.up.link.hold(s.failed)
	}
}

// failure returns why there is no manifest.
func (s *source) failure() *CallError {
	e := &CallError{Class: Unreachable, Reason: "its manifest cannot be fetched", Err: s.Err()}
	var failed *manifest.FetchError
	if !errors.As(s.Err(), &failed) {
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

// status returns the status of a failed manifest without a mounted server; false if there is none. The caller holds
// the lock of the discovery.
func (s *source) status() (Status, bool) {
	if s.up != nil || s.failed == nil {
		return Status{}, false
	}
	return Status{Endpoint: s.Discovery.String(), State: Down, Since: s.since, Err: s.failed}, true
}

// mountsAt returns the mounts of the server: the operator's label, or the places that were chosen for it.
func (s *source) mountsAt(places []discover.Place) []mount {
	if s.Label != "" {
		return []mount{s.mountAtLabel(cmp.Or(s.Description, onlyDescription(s.Last().Manifest)))}
	}
	mounts := make([]mount, len(places))
	for i, p := range places {
		mounts[i] = mount{Label: p.Label, Namespace: p.Namespace, Description: cmp.Or(s.Description, p.Description), OrRoot: true}
	}
	return mounts
}

func onlyDescription(m *manifest.Manifest) string {
	if len(m.Namespaces) == 1 {
		return clean.Line(m.Namespaces[0].Description, maxAbout)
	}
	return ""
}

// mount mounts the server. It keeps the present upstream if nothing has changed.
func (s *source) mount(mounts []mount) error {
	old := s.up
	if old != nil && s.endpoint == s.Last().Endpoint && slices.Equal(old.mounts, mounts) {
		old.inventory.published.Store(s.Last().Manifest)
		old.link.hold(nil)
		return nil
	}
	cfg := s.Server
	cfg.Label, cfg.Endpoint = mounts[0].Label, s.reach()
	u := newUpstream(s.agg, cfg, mounts, true)
	u.inventory.published.Store(s.Last().Manifest)
	if s.Label == "" { // pins are kept by manifest URL: the server may change its suggested labels
		u.pinnedAs(HTTP{URL: s.Discovery.URL}.String())
	}
	if err := s.agg.replace(old, u); err != nil {
		return err
	}
	s.up, s.endpoint = u, s.Last().Endpoint
	s.agg.opts.Logger.Info("mounted by its manifest", "host", s.Host(), "labels", u.status().Labels)
	return nil
}

// reach returns the HTTP endpoint that the manifest names.
func (s *source) reach() HTTP {
	client, header := s.Client()
	return HTTP{URL: s.Last().Endpoint, Header: header, Client: client}
}
