package serve

import (
	"cmp"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A Face is a set of tools over a registry: what it adds to an MCP server.
type Face interface {
	// Add adds the face's tools to srv, wrapped by h.
	Add(srv *mcp.Server, h *Host)
	// Instructions returns the line or two that tell a model what is behind the
	// tools, for the caller in ctx. Empty adds nothing.
	Instructions(ctx context.Context) string
}

// maxIndex bounds what [Index] returns, in characters: it is paid for in every
// conversation.
const maxIndex = 400

// Index is the line of [Face.Instructions] that names what is at the top level: line,
// and as many of the names as it has room for.
func Index(line string, names []string) string {
	return line + clean.List(names, maxIndex-len(line)-1) + "."
}

// A Server serves a [Face] through any number of transports at a time. It is safe
// for concurrent use. The server type of a face embeds it, so that all faces are
// served in the same way.
type Server struct {
	face    Face
	impl    *mcp.Implementation
	opts    Options
	drain   *drain // all calls of the server
	closed  chan struct{}
	web     *web
	changes *changes // nil if the tools never change
}

// New returns a server of face that presents itself as impl, whose version is 0.0.0
// if it is empty.
func New(face Face, impl *mcp.Implementation, opts *Options) *Server {
	own := *impl
	own.Version = cmp.Or(own.Version, "0.0.0")
	s := &Server{
		face: face, impl: &own, opts: opts.WithDefaults(),
		drain: new(drain), closed: make(chan struct{}), web: new(web),
	}
	if c, ok := face.(Changing); ok && c.Changed() != nil {
		s.changes = &changes{face: c, log: s.opts.Logger, watches: make(map[any]*watch)}
	}
	return s
}

// AddTo adds the face to an MCP server of the embedder's own, after its own tools,
// and the line that names what is behind it to the instructions. From then on that
// server also survives panics in its other handlers. Callers are identified as
// elsewhere; over HTTP, wrap the SDK's handler with [CarryCaller] if they are in
// the context of the request.
func (s *Server) AddTo(srv *mcp.Server) { s.host().addTo(srv) }

// host returns the server as its face sees it, for many connections.
func (s *Server) host() *Host { return &Host{server: s, drains: []*drain{s.drain}} }
