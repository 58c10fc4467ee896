package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/cash-mcp/go-sdk/registry"
)

// Defaults of a [Server].
const (
	DefaultTimeout        = time.Minute
	DefaultConnectTimeout = 30 * time.Second
	DefaultConcurrency    = 16
	DefaultMaxMessage     = 8 << 20
)

// A Server is an MCP server to mount: its endpoint, its place in the tree and its limits.
type Server struct {
	// Label is the path of the server's namespace: one label, or several joined by dots. Required, and unique in
	// its canonical form (RFC 5.4).
	Label string
	// Description is one line about the server. Empty takes the server's own.
	Description string
	// Endpoint is the way to reach the server. Required.
	Endpoint Endpoint
	// Kind is plain or CaSH. Zero detects it.
	Kind Kind
	// Namespace is the namespace of a CaSH server to mount at Label. Empty mounts all of the server.
	Namespace string
	// VisibleTo decides who sees the server's functions. Nil is everyone who sees the namespace above Label.
	VisibleTo registry.Visibility
	// ReadOnly names tools, or functions of a CaSH server with their namespaces, that change nothing: the operator
	// vouches for that. The server's own hints are shown as well, unless IgnoreHints is set; a tool that is read-only
	// and destructive by its hints counts as destructive.
	ReadOnly []string
	// Include and Exclude select the tools, or the functions of a CaSH server with their namespaces: those that Include
	// names, without those that Exclude names. An entry is a name of the server or the name of the function here, or a
	// pattern with '*' for any characters. Case, hyphens and underscores do not count, and '/' is '.'. The others are not
	// there at all: they are not pinned either. [Status] notes entries that select nothing. An empty Include is all.
	Include, Exclude []string
	// IgnoreHints ignores the server's hints on the effects of its tools, their tags and their costs.
	IgnoreHints bool
	// HoldIdentity makes a CaSH server unavailable while its cash://server differs from the first one, or from the
	// manifest that led to it (RFC 5.6): in publisher, endpoint, version or authentication. To accept another identity,
	// set the server up anew ([Aggregator.Update]). False notes the difference in [Status].
	HoldIdentity bool

	// Credentials returns the account of a caller at the server: a handler of the SDK, such as those of its package
	// extauth, or one of the embedder's that finds the caller's tokens. Then calls, reads of resources and prompts
	// have the credential of their caller. Only the catalog is read with the identity of Endpoint, which is never used
	// for a caller. The endpoint must be HTTP or SSE. Nil uses the identity of Endpoint for all.
	//
	//   - It is called when a caller's first call needs a token, and when the handler has none any more: its Authorize
	//     fails, or the authorization server answers its TokenSource with status 4xx. Never for anonymous callers.
	//   - The handler is kept for the caller, by ID, roles and attributes. Its methods are called one at a time, with
	//     the values of the request's context, which ends with the handler. TokenSource is called for a new token,
	//     Authorize if there is none, if the server refuses it with status 401, or wants more scope with status 403, or
	//     if the authorization server answers the TokenSource of a new handler with status 4xx.
	//   - Calls that need the same token wait for one attempt, for ConnectTimeout at most. The attempt goes on for a
	//     minute more, so that no refresh token is lost that was sent.
	//   - An ID with other roles or attributes, and a server that is set up anew, has another handler. Handlers that
	//     share refresh tokens take turns on their own.
	//   - A [ConnectError] asks the caller to connect an account, and the call goes on once that is done. A client that
	//     cannot be asked to open a URL gets an error that says so. Any other error refuses the call; only the log
	//     shows its text.
	Credentials func(ctx context.Context, c *registry.Caller) (auth.OAuthHandler, error)
	// MaxUsers is the most callers whose accounts are kept at a time with Credentials, with a session each if the
	// server keeps sessions. The least recently used goes first. Zero is 1,000.
	MaxUsers int

	// Lazy connects on the first call and shows the pinned tools until then ([Options.Pins]). A server without pins
	// is read once. Resources and prompts are not pinned. False connects at once, and reconnects.
	Lazy bool
	// Idle closes a connection after that time without a call. The next call reconnects. Zero keeps it open; with
	// Lazy, zero is 5 minutes, and so it is for the sessions of callers.
	Idle time.Duration
	// Timeout is the deadline of one call. Zero is [DefaultTimeout].
	Timeout time.Duration
	// ConnectTimeout is the deadline for connecting and reading the catalog. Zero is [DefaultConnectTimeout].
	ConnectTimeout time.Duration
	// Concurrency is the most calls at a time. Further ones wait. Zero is [DefaultConcurrency].
	Concurrency int
	// MaxMessage is the most bytes of one message of the server, such as a result or a page of its list of tools.
	// Zero is [DefaultMaxMessage].
	MaxMessage int
	// Schemas bound the schemas of the server's tools. A tool with a larger one is served, and [Status] and the
	// gateway's report of a refresh name it (gateway surface, section 4.4). Zero fields have defaults.
	Schemas registry.SchemaLimits
	// Refresh is the period after which the catalog is read again, besides the server's own notices. A CaSH server
	// that says that it has not changed is not read as a whole. Zero is an hour; negative is never.
	Refresh time.Duration
}

// Kind is the form in which a server offers its functions.
type Kind int

const (
	Auto  Kind = iota // CaSH if it has the tools call, help and skill, else plain
	Plain             // each tool becomes a function
	CaSH              // the tools call, help and skill, with a tree behind them
)

// String returns the kind as configuration files spell it.
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

// MarshalText implements [encoding.TextMarshaler].
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// minRefresh is the shortest Server.Refresh.
const minRefresh = time.Second

// lazyIdle is the default of Server.Idle for lazy servers.
const lazyIdle = 5 * time.Minute

// defaultMaxUsers is the default of Server.MaxUsers.
const defaultMaxUsers = 1000

// checkCredentials returns the reason why the endpoint cannot have credentials of callers.
func (s Server) checkCredentials() error {
	if s.Credentials == nil {
		return nil
	}
	switch s.Endpoint.(type) {
	case Command:
		return errors.New("credentials of callers need HTTP: a process has one identity, that of its environment, for all callers")
	case InMemory:
		return errors.New("credentials of callers need HTTP: a connection in memory has no headers")
	}
	return nil
}

// web returns the endpoint of a server over HTTP; a zero one otherwise.
func (s Server) web() HTTP {
	switch e := s.Endpoint.(type) {
	case HTTP:
		return e
	case SSE:
		return HTTP(e)
	}
	return HTTP{}
}

// withDefaults returns s with defaults for zero values, or an error for the first wrong field.
func (s Server) withDefaults() (Server, error) {
	if _, ok := registry.CanonicalPath(s.Label); !ok || s.Label == "" {
		return s, fmt.Errorf("label %.64q: labels are one or more ASCII letters, digits and underscores, joined by dots", s.Label)
	}
	if _, ok := registry.CanonicalPath(s.Namespace); !ok {
		return s, fmt.Errorf("upstream %s: namespace %.64q is not a path of labels", s.Label, s.Namespace)
	}
	if s.Endpoint == nil {
		return s, fmt.Errorf("upstream %s: no endpoint: it is HTTP, SSE, Command or InMemory", s.Label)
	}
	if err := s.Endpoint.check(); err != nil {
		return s, fmt.Errorf("upstream %s: %w", s.Label, err)
	}
	if err := s.checkCredentials(); err != nil {
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
		"concurrency": int64(s.Concurrency), "max users": int64(s.MaxUsers), "max message": int64(s.MaxMessage), "schema bytes": int64(s.Schemas.Bytes),
		"schema depth": int64(s.Schemas.Depth), "schema properties": int64(s.Schemas.Properties),
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
	s.MaxUsers = cmp.Or(s.MaxUsers, defaultMaxUsers)
	s.MaxMessage = cmp.Or(s.MaxMessage, DefaultMaxMessage)
	s.Refresh = cmp.Or(s.Refresh, time.Hour)
	if s.Refresh > 0 {
		s.Refresh = max(s.Refresh, minRefresh)
	}
	return s, nil
}
