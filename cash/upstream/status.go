package upstream

import (
	"fmt"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/toolid"
)

// State is how an upstream is.
type State int

const (
	Connecting State = iota // for the first time, or again
	Connected               // calls go through
	Idle                    // not connected, because nobody has called; the next call connects
	Failing                 // connected, and its calls fail: none goes through for a while
	Down                    // not connected; it is tried again later
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

// Status is what an operator may want to know of an upstream.
type Status struct {
	// Labels are where it stands in the tree. Without any it is a manifest that
	// could not be had so far, and for which the operator has no label.
	Labels   []string
	Endpoint string // or the manifest's URL, without secrets
	Kind     Kind   // Auto until it is known
	State    State
	Since    time.Time // of State
	Err      error     // why it is failing or down; nil otherwise
	Retry    time.Time // when it is tried again; zero if it is not waiting for that
	Server   string    // name and version that the server gives; empty until it is known
	InFlight int       // calls
	// Functions and Skills are how many are served.
	Functions, Skills int
	// Resources and Prompts are the same of those, if they are asked for
	// ([Options]).
	Resources, Prompts int
	// Quarantined are the tools, and of a CaSH server the functions, that are not
	// served because their definitions are not the accepted ones.
	Quarantined []pin.Quarantine
	// Notes say what of the server is not served as it is, and why, a line each.
	Notes []string
}

// Status returns how all upstreams are, in order of their labels, and after them
// the manifests that have none.
func (a *Aggregator) Status() []Status {
	var list []Status
	for _, u := range a.each() {
		list = append(list, u.status())
	}
	a.mu.Lock()
	discoveries := slices.Clone(a.discoveries)
	a.mu.Unlock()
	for _, g := range discoveries {
		list = append(list, g.status()...)
	}
	return list
}

// status returns the manifests for which nothing is mounted.
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

// status joins what each part knows.
func (u *upstream) status() Status {
	s := u.link.status()
	s.Endpoint = u.cfg.Endpoint.String()
	s.InFlight, _ = u.traffic.now()
	for _, m := range u.mounts {
		s.Labels = append(s.Labels, m.Label)
	}
	if c := u.inventory.latest.Load(); c != nil {
		s.Kind, s.Server, s.Functions = c.kind, c.server, c.functions
		s.Quarantined, s.Notes = slices.Clone(c.quarantined), slices.Clone(c.notes)
		if c.cash != nil {
			s.Skills = c.cash.Skills
		}
	}
	for _, b := range u.lists.branches {
		s.add(b)
	}
	return s
}

// status is how the link is.
func (l *link) status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Status{State: l.state, Since: l.since, Retry: l.retry}
	if l.err != nil { // a nil *CallError is no nil error
		s.Err = l.err
	}
	return s
}

// add adds what is known of resources or prompts.
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
