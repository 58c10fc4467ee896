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

// ErrServerClosed is what [Server.Run] returns after [Server.Shutdown].
var ErrServerClosed = errors.New("serve: server closed")

// Run serves one connection: the client at the other end of transport. It
// returns nil when the client has gone, ctx's error when ctx ends, and
// [ErrServerClosed] after Shutdown. When ctx ends, calls that come in are
// refused, those in flight have [Options.DrainTimeout] to finish and are
// cancelled after it. The caller of all requests is the one in ctx, unless
// [Options.Identify] says otherwise.
//
// Malformed messages on the SDK's stdio and IO transports are answered with an
// error and passed over, and ids are given back exactly as they came. Calls
// beyond [Options.MaxCalls] are refused.
func (s *Server) Run(ctx context.Context, transport mcp.Transport) error {
	own := new(drain)
	h := &Host{server: s, conn: rand.Text(), drains: []*drain{s.drain, own}}
	t := newCounted(transport, &s.opts)
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

// unlessGone returns an error that is more than that the client has gone, which
// may show when something is written to it.
func unlessGone(err error) error {
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// end waits for the SDK to end the connection, and closes it from below if that
// takes long: the client does not read what is written to it, and the SDK waits
// for that.
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

// Shutdown stops the server gracefully, whatever it is served through: calls
// are refused from now on, those in flight may finish until ctx ends and are
// cancelled then; after that connections are closed and HTTP requests answered
// with 503. HTTP requests that have not arrived in full by then are not waited
// for. It returns ctx's error if calls had to be cancelled. Clients that do
// not read and functions that do not end hold it up for some seconds at most.
// Call it before shutting down the HTTP server. A server cannot be used again.
func (s *Server) Shutdown(ctx context.Context) error {
	s.web.bodies.stop()
	err := s.drain.stop(ctx)
	s.drain.once.Do(func() { close(s.closed) }) // ends subscriptions, which are requests too
	s.web.close()
	return err
}
