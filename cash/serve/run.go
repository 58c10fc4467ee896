package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ErrServerClosed is the error of [Server.Run] after [Server.Shutdown].
var ErrServerClosed = errors.New("serve: server closed")

// Run serves one connection: the client at the other end of transport. It returns nil when the
// client is gone, ctx's error when ctx ends, and [ErrServerClosed] after Shutdown. When ctx ends,
// new calls are refused, and those in flight are cancelled after [Options.DrainTimeout]. All
// requests have the caller in ctx, unless [Options.Identify] returns another.
//
// Malformed messages on the SDK's stdio and IO transports are answered with an error and skipped.
// Ids are repeated exactly as they came. Calls beyond [Options.MaxCalls] are refused.
func (s *Server) Run(ctx context.Context, transport mcp.Transport) error {
	own := new(drain)
	h := &Host{server: s, conn: rand.Text(), drains: []*drain{s.drain, own}, over: make(chan struct{}), transport: transportName(transport)}
	t := newCounted(transport, &s.opts, s.newWatcher(ctx, h.transport))
	s.counts.connections.Add(1)
	defer s.counts.connections.Add(-1)
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- h.mcpServer().Run(inner, t) }()
	var reason error
	select {
	case err := <-ended:
		return unlessGone(err)
	case <-ctx.Done():
		limit, cancel := context.WithTimeout(context.Background(), s.opts.DrainTimeout)
		_ = own.stop(limit)
		cancel()
		close(h.over)
		reason = ctx.Err()
	case <-s.closed:
		reason = ErrServerClosed
	case <-t.gone: // the SDK is about to end
		return unlessGone(t.end(ended))
	}
	t.pending.wait(deliverTimeout)
	stop()
	_ = t.end(ended)
	return reason
}

// unlessGone returns nil for an error that only means that the client is gone, which a write may
// report.
func unlessGone(err error) error {
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// end waits for the SDK to end the connection. If that takes long, it closes the connection from
// below: the SDK waits for a client that does not read.
func (t *counted) end(ended <-chan error) error {
	timer := time.NewTimer(deliverTimeout)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		t.close()
		return nil
	}
}

// Shutdown stops the server gracefully on all transports. Call it before shutting down the HTTP
// server.
//
//   - New calls are refused. Those in flight may finish until ctx ends, and are then cancelled.
//   - After that, connections are closed and HTTP requests are answered with 503. It does not wait
//     for HTTP requests that are still arriving.
//   - It returns ctx's error if calls had to be cancelled.
//   - Clients that do not read and functions that do not end delay it by some seconds at most.
//
// A server cannot be used again.
func (s *Server) Shutdown(ctx context.Context) error {
	s.web.bodies.stop()
	err := s.drain.stop(ctx)
	s.drain.once.Do(func() { close(s.closed) }) // ends subscriptions, which are requests too
	s.web.close()
	return err
}
