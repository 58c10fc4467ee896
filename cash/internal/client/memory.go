package client

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Runner serves one connection until its client has gone.
type Runner interface {
	Run(context.Context, mcp.Transport) error
}

// InMemory returns a transport to srv in the same process. Connecting it starts
// srv.Run with ctx, which ends when the client closes the connection.
func InMemory(ctx context.Context, srv Runner) mcp.Transport {
	near, far := net.Pipe()
	return &local{srv: srv, ctx: ctx, near: near, far: far, ended: make(chan error, 1)}
}

// local is a transport that starts the server it leads to.
type local struct {
	srv       Runner
	ctx       context.Context
	near, far net.Conn
	ended     chan error
}

// Connect implements mcp.Transport.
func (l *local) Connect(ctx context.Context) (mcp.Connection, error) {
	go func() {
		err := l.srv.Run(l.ctx, &mcp.IOTransport{Reader: l.far, Writer: l.far, MaxLineLength: -1})
		l.far.Close() // tells the client, whatever Run has left open
		l.ended <- err
	}()
	t := &mcp.IOTransport{Reader: l.near, Writer: l.near, MaxLineLength: -1}
	return t.Connect(ctx)
}

// wait returns what the server's Run returned, unless that is how it always
// ends: the client has gone, or the embedder's context is over.
func (l *local) wait() error {
	l.near.Close()
	err := <-l.ended
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || l.ctx.Err() != nil {
		return nil
	}
	return err
}
