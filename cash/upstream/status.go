package upstream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/toolid"
)

// State is the connection state of an upstream.
type State int

const (
	Connecting State = iota // for the first time or again
	Connected               // calls go through
	Idle                    // not connected because there were no calls; the next call connects
	Failing                 // connected, but its circuit breaker is open
	Down                    // not connected; it reconnects after a pause
	Closed                  // removed, replaced, or the aggregator is closed
)

// String returns the state as one word.
func (s State) String() string {
	switch s {
	case Connecting:
		return "connecting"
	case Connected:
		return "connected"
	case Idle:
		return "idle"
	case Failing:
		return "failing"
	case Down:
		return "down"
	}
	return "closed"
}

// MarshalText implements [encoding.TextMarshaler].
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Status reports on one upstream, for operators.
type Status struct {
	// Labels are its mounts in the tree. A manifest without an operator's label has none until it is fetched.
	Labels   []string
	Endpoint string // the endpoint, or the manifest's URL, without secrets
	Kind     Kind   // Auto until known
	State    State
	Since    time.Time // start of State
	Err      error     // why it is Failing or Down; nil otherwise
	Retry    time.Time // time of the next reconnect; zero if none is planned
	Server   string    // name and version reported by the server; empty until known
	// LastKnown is when the catalog was read that is shown, if another process has read it ([Options.Catalogs]) and this
	// one is not connected. Zero otherwise.
	LastKnown time.Time
	// Identity is the manifest in cash://server, such as its version and authentication (RFC 5.6). Nil if the server
	// gives none. It must not be changed.
	Identity *manifest.Manifest
	InFlight int // calls in flight
	// Functions and Skills count the served ones.
	Functions, Skills int
	// Resources and Prompts count the served ones, if they are asked for ([Options]).
	Resources, Prompts int
	// Quarantined are the tools, the functions of a CaSH server, and the skills that are not served because their
	// definitions are not accepted.
	Quarantined []pin.Quarantine
	// Unmatched are the entries of [Server].Include and Exclude that select nothing.
	Unmatched []string
	// Notes say what is not served, or served differently, and why. One line each.
	Notes []string
}

// MarshalJSON implements [json.Marshaler]. Err is a text.
func (s Status) MarshalJSON() ([]byte, error) {
	type plain Status
	shown := struct {
		plain
		Err string `json:",omitempty"`
	}{plain: plain(s)}
	if s.Err != nil {
		shown.Err = s.Err.Error()
	}
	return json.Marshal(shown)
}

// Status returns the status of all upstreams, sorted by label, then of the manifests without a label.
func (a *Aggregator) Status() []Status {
	var list []Status
	for _, u := range a.each() {
		if a.mounted(u) {
			list = append(list, u.status())
		}
	}
	a.noteContested(list)
	a.mu.Lock()
	discoveries := slices.Clone(a.discoveries)
	a.mu.Unlock()
	for _, g := range discoveries {
		list = append(list, g.status()...)
	}
	return list
}

// noteContested adds a note for each function that has another id than its server's name for it gives, because another
// function has a right to that.
func (a *Aggregator) noteContested(list []Status) {
	for f := range a.reg.All() {
		was, ok := f.Contested()
		if !ok {
			continue
		}
		key := wire.CanonicalPath(f.Path())
		for i := range list {
			s := &list[i]
			if len(s.Notes) < maxNotes && slices.ContainsFunc(s.Labels, func(l string) bool { return strings.HasPrefix(key, wire.CanonicalPath(l)+".") }) {
				s.Notes = append(s.Notes, fmt.Sprintf("%s has the id %s: another function has a right to %s", f.Path(), f.ID(), was))
			}
		}
	}
}

// status returns the manifests without a mounted server.
func (g *discovery) status() (list []Status) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sources {
		if st, ok := s.status(); ok {
			list = append(list, st)
		}
	}
	return list
}

// status combines what each part knows.
func (u *upstream) status() Status {
	s := u.link.status()
	s.Endpoint = u.cfg.Endpoint.String()
	s.InFlight, _ = u.traffic.now()
	for _, m := range u.mounts {
		s.Labels = append(s.Labels, m.Label)
	}
	if c := u.inventory.latest.Load(); c != nil {
		s.Kind, s.Server, s.Functions, s.Identity = c.kind, c.server, c.functions, c.identity
		if s.State != Connected && s.State != Failing {
			s.LastKnown = c.asOf
		}
		s.Quarantined, s.Notes = slices.Clone(c.quarantined), slices.Clone(c.notes)
		if c.unnoted > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("and %d more notes on tools", c.unnoted))
		}
		s.Skills, s.Unmatched = len(c.skills), c.unmatched
		if c.cash != nil {
			s.Skills = c.cash.Skills
		}
	}
	if u.agg.opts.Catalogs != nil && u.ownerless() {
		s.Notes = append(s.Notes, "its catalog is not kept for other processes: set CatalogOwner, because they may have another identity at it")
	}
	for _, b := range u.branches {
		if note := b.shelf.Note(); note != "" {
			s.Notes = append(s.Notes, note)
		}
	}
	for _, b := range u.lists.branches {
		s.add(b)
	}
	return s
}

// status returns the link's part of the status.
func (l *link) status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Status{State: l.state, Since: l.since, Retry: l.retry}
	if l.err != nil { // a nil *CallError in an error is not nil
		s.Err = l.err
	}
	return s
}

// add adds the counts and notes of resources or prompts.
func (s *Status) add(b *branch) {
	p := b.listed.Load()
	if p == nil {
		return
	}
	if b.kind == toolid.Resource {
		s.Resources = p.count
	} else {
		s.Prompts = p.count
	}
	s.Notes = append(s.Notes, p.notes...)
	if p.err != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("the list of %ss could not be read: %v", b.kind, p.err))
	}
}
