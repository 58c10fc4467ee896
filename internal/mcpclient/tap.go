package mcpclient

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tap returns t with exchanges recorded and notifications handled. It bounds and checks nothing: it is for servers
// in this process. It must not wrap [mcp.StreamableClientTransport], whose connections would stop working.
func Tap(t mcp.Transport, o Options) mcp.Transport { return tap{t, o.filled()} }

type tap struct {
	mcp.Transport
	options Options
}

// Connect implements [mcp.Transport].
func (t tap) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapped{Connection: c, options: t.options}, nil
}

type tapped struct {
	mcp.Connection
	options Options
	calls   calls
}

// Write implements [mcp.Connection].
func (t *tapped) Write(ctx context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return t.Connection.Write(ctx, m)
	}
	x := t.calls.begin(ctx, r.ID)
	if ctx.Err() == nil {
		x.markSent()
	}
	err := t.Connection.Write(ctx, m)
	if err != nil {
		t.calls.take(r.ID)
	}
	return err
}

// Read implements [mcp.Connection].
func (t *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := t.Connection.Read(ctx)
		if err != nil {
			t.calls.failAll(lost("the connection ended", err))
			return nil, err
		}
		t.calls.hear(m)
		if r, ok := m.(*jsonrpc.Response); ok {
			t.calls.settle(r)
		}
		if !t.options.takes(m) {
			return m, nil
		}
	}
}
