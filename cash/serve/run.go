package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Run serves one connection: the client at the other end of transport. It
// returns when the client has gone, or when ctx ends: then calls that come in
// are refused, those in flight have [Options.DrainTimeout] to finish and are
// cancelled after it. The caller of all requests is the one in ctx, unless
// [Options.Identify] says otherwise.
func (s *Server) Run(ctx context.Context, transport mcp.Transport) error {
	own := new(drain)
	conn := &Server{face: s.face, impl: s.impl, opts: s.opts, drain: own, drains: []*drain{s.drain, own}}
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	unanswered := new(pending)
	go func() { ended <- conn.newMCPServer().Run(inner, counted{transport, unanswered}) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.Background(), s.opts.DrainTimeout)
	defer cancel()
	own.stop(limit)
	unanswered.wait(deliverTimeout)
	stop()
	<-ended
	return ctx.Err()
}

// Shutdown stops the server gracefully, whatever it is served through: calls
// are refused from now on, those in flight may finish until ctx ends and are
// cancelled then, and HTTP sessions are closed. It returns ctx's error if calls
// had to be cancelled. Call it before shutting down the HTTP server.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.drain.stop(ctx)
	s.closeSessions()
	return err
}
