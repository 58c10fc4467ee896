package serve

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Face is a set of tools over a registry that can be added to an MCP server. [New] makes a
// [Server] of one.
type Face interface {
	// Add adds the face's tools to srv, wrapped by h.
	Add(srv *mcp.Server, h *Host)
	// Instructions returns one or two lines that describe the contents of the server to a model,
	// for the caller in ctx. Empty adds nothing.
	Instructions(ctx context.Context) string
}

// maxIndex is the most characters of [Index], because every conversation pays for it.
const maxIndex = 400

// Index returns the line of [Face.Instructions] with the top-level names: line, and as many names
// as fit.
func Index(line string, names []string) string {
	return line + clean.List(names, maxIndex-len(line)-1) + "."
}

// A Server serves a [Face] through any number of transports at a time. It is safe for concurrent
// use. The server type of each face embeds it.
type Server struct {
	face    Face
	impl    *mcp.Implementation
	opts    Options
	drain   *drain // counts all calls of the server
	closed  chan struct{}
	web     *web
	changes *changes // nil if the face never changes
	retired atomic.Bool

	observer *observe.Observer // nil tells nobody
	counts   *counts
}

// New returns a server of face. impl is its name and version for clients; an empty version is
// 0.0.0.
func New(face Face, impl *mcp.Implementation, opts *Options) *Server {
	own := *impl
	own.Version = cmp.Or(own.Version, "0.0.0")
	s := &Server{
		face: face, impl: &own, opts: opts.WithDefaults(),
		drain: new(drain), closed: make(chan struct{}), web: new(web),
		counts: newCounts(),
	}
	s.observer = observe.New(s.opts.Observe, s.opts.Logger)
	if c, ok := face.(Changing); ok && c.Changed() != nil {
		s.changes = &changes{face: c, log: s.opts.Logger, watches: make(map[any]*watch)}
	}
	return s
}

// AddTo adds the face's tools to an MCP server of the embedder, after its own tools, and the face's
// instructions to its own. From then on that server also survives panics in its other handlers.
// Callers are identified as elsewhere. Over HTTP, wrap the SDK's handler with [CarryContext].
func (s *Server) AddTo(srv *mcp.Server) { s.host().addTo(srv) }

// host returns the Host for all connections but those of Run.
func (s *Server) host() *Host { return &Host{server: s, drains: []*drain{s.drain}} }
