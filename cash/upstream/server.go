package upstream

import (
	"cmp"
	"fmt"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// Defaults of a [Server].
const (
	DefaultTimeout        = time.Minute
	DefaultConnectTimeout = 30 * time.Second
	DefaultConcurrency    = 16
	DefaultMaxMessage     = 8 << 20
)

// A Server is an MCP server to mount: how it is reached, and where in the tree
// it stands.
type Server struct {
	// Label is the path in the tree below which the server's functions stand:
	// one label, or several joined by dots. Required, and unique in its
	// canonical form (RFC 5.4).
	Label string
	// Description says in a line what is there. Empty is what the server says
	// of itself.
	Description string
	// Endpoint is how the server is reached. Required.
	Endpoint Endpoint
	// Kind says what the server is. Zero finds out.
	Kind Kind
	// Namespace is the namespace of a CaSH server that stands at Label. Empty is
	// all of the server.
	Namespace string
	// VisibleTo decides who sees the server's functions. Nil is everyone who
	// sees what is above Label.
	VisibleTo registry.Visibility
	// ReadOnly names tools, or functions of a CaSH server with their namespaces,
	// that the operator vouches for: calling them changes nothing. What a server says of its own tools is believed as well, unless
	// IgnoreHints is set.
	ReadOnly []string
	// IgnoreHints takes nothing from the server's own word on whether its tools
	// are read-only, idempotent or destructive.
	IgnoreHints bool

	// Lazy connects when a function is called, and until then shows what is
	// pinned ([Options.Pins]); a server of which nothing is pinned is asked once
	// what it has. Resources and prompts are not pinned. False connects at once, and again when the connection is lost.
	Lazy bool
	// Idle closes a connection that has not been used for so long; the next call
	// opens it again. Zero keeps it open, or with Lazy is 5 minutes.
	Idle time.Duration
	// Timeout is the deadline of one call. Zero is [DefaultTimeout].
	Timeout time.Duration
	// ConnectTimeout is the deadline for connecting and for reading what the
	// server has. Zero is [DefaultConnectTimeout].
	ConnectTimeout time.Duration
	// Concurrency is the most calls at a time; further ones wait. Zero is
	// [DefaultConcurrency].
	Concurrency int
	// MaxMessage is the most bytes of a message of the server: of a result, and of
	// one page of its list of tools. Zero is [DefaultMaxMessage].
	MaxMessage int
	// Refresh asks the server again for what it has after so long, besides when
	// it says that something has changed. Zero is an hour; negative is never.
	Refresh time.Duration
}

// Kind is what a server offers.
type Kind int

const (
	Auto  Kind = iota // CaSH if it has the tools call, help and skill, else plain
	Plain             // tools, each of which becomes a function
	CaSH              // the tools call, help and skill, behind which there is a tree
)

// String returns the kind as it is written in a configuration.
func (k Kind) String() string {
	switch k {
	case Auto:
		return "auto"
	case Plain:
		return "plain"
	case CaSH:
		return "cash"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// minRefresh is the shortest Server.Refresh.
const minRefresh = time.Second

// lazyIdle is Server.Idle of lazy servers that have none.
const lazyIdle = 5 * time.Minute

// withDefaults returns s with its zero values filled in, or what is wrong with
// it.
func (s Server) withDefaults() (Server, error) {
	if _, ok := registry.CanonicalPath(s.Label); !ok || s.Label == "" {
		return s, fmt.Errorf("label %.64q: labels are one or more ASCII letters, digits and underscores, joined by dots", s.Label)
	}
	if _, ok := registry.CanonicalPath(s.Namespace); !ok {
		return s, fmt.Errorf("upstream %s: namespace %.64q is not a path of labels", s.Label, s.Namespace)
	}
	if s.Endpoint == nil {
		return s, fmt.Errorf("upstream %s: no endpoint", s.Label)
	}
	if err := s.Endpoint.check(); err != nil {
		return s, fmt.Errorf("upstream %s: %w", s.Label, err)
	}
	if s.Kind < Auto || s.Kind > CaSH {
		return s, fmt.Errorf("upstream %s: unknown kind %d", s.Label, s.Kind)
	}
	if s.Kind == Plain && s.Namespace != "" {
		return s, fmt.Errorf("upstream %s: a plain server has no namespaces", s.Label)
	}
	for name, n := range map[string]int64{
		"timeout": int64(s.Timeout), "connect timeout": int64(s.ConnectTimeout), "idle": int64(s.Idle),
		"concurrency": int64(s.Concurrency), "max message": int64(s.MaxMessage),
	} {
		if n < 0 {
			return s, fmt.Errorf("upstream %s: %s is negative", s.Label, name)
		}
	}
	if s.Lazy {
		s.Idle = cmp.Or(s.Idle, lazyIdle)
	}
	s.Timeout = cmp.Or(s.Timeout, DefaultTimeout)
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, DefaultConnectTimeout)
	s.Concurrency = cmp.Or(s.Concurrency, DefaultConcurrency)
	s.MaxMessage = cmp.Or(s.MaxMessage, DefaultMaxMessage)
	s.Refresh = cmp.Or(s.Refresh, time.Hour)
	if s.Refresh > 0 {
		s.Refresh = max(s.Refresh, minRefresh)
	}
	return s, nil
}
