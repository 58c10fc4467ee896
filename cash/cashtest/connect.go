package cashtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Runner serves one connection until its client has gone: a face of this
// module, or an *mcp.Server.
type Runner interface {
	Run(context.Context, mcp.Transport) error
}

// A Dialer has the options for connecting. The zero value is ready; its
// methods are the package's functions of the same name.
type Dialer struct {
	// Version is the protocol version that the client asks for, such as
	// "2025-11-25". Empty is the newest one that the SDK knows.
	Version string
	// Context is what a server in memory runs in: put its caller there with
	// registry.WithCaller. Nil is an empty one.
	Context context.Context
	// HTTPClient is for [Dialer.ConnectHTTP]. Nil is http.DefaultClient.
	HTTPClient *http.Client
	// Client configures the SDK's client. Nil is a client without abilities.
	Client *mcp.ClientOptions
	// Timeout is the deadline of each request, after which the test fails.
	// Zero is 30 seconds.
	Timeout time.Duration
}

// Connect connects a client to srv in memory. The connection ends with the
// test, which fails if srv then returns an error or does not return.
func Connect(t testing.TB, srv Runner) *Client {
	t.Helper()
	return new(Dialer).Connect(t, srv)
}

// ConnectHTTP connects a client to the MCP endpoint at url.
func ConnectHTTP(t testing.TB, url string) *Client {
	t.Helper()
	return new(Dialer).ConnectHTTP(t, url)
}

// ConnectCommand starts cmd and connects a client to its standard input and
// output. The process ends with the test.
func ConnectCommand(t testing.TB, cmd *exec.Cmd) *Client {
	t.Helper()
	return new(Dialer).ConnectCommand(t, cmd)
}

// Dial connects a client over transport, which must be fresh: a transport
// serves one connection.
func Dial(t testing.TB, transport mcp.Transport) *Client {
	t.Helper()
	return new(Dialer).Dial(t, transport)
}

// Connect is the function [Connect] with the options of d.
func (d *Dialer) Connect(t testing.TB, srv Runner) *Client {
	t.Helper()
	return d.Dial(t, d.InMemory(srv))
}

// ConnectHTTP is the function [ConnectHTTP] with the options of d.
func (d *Dialer) ConnectHTTP(t testing.TB, url string) *Client {
	t.Helper()
	return d.Dial(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: d.HTTPClient})
}

// ConnectCommand is the function [ConnectCommand] with the options of d.
func (d *Dialer) ConnectCommand(t testing.TB, cmd *exec.Cmd) *Client {
	t.Helper()
	return d.Dial(t, &mcp.CommandTransport{Command: cmd})
}

// Dial is the function [Dial] with the options of d.
func (d *Dialer) Dial(t testing.TB, transport mcp.Transport) *Client {
	t.Helper()
	c, end, err := d.open(t, transport)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Errorf("ending the connection: %v", err)
		}
	})
	return c
}

// open connects and returns what ends the connection again.
func (d *Dialer) open(t reporter, transport mcp.Transport) (*Client, func() error, error) {
	c := &Client{t: t, timeout: d.Timeout}
	if c.timeout == 0 {
		c.timeout = 30 * time.Second
	}
	opts := d.Client
	if opts == nil {
		opts = &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "cashtest", Version: "1"}, opts)
	session, err := within(c.timeout, func(ctx context.Context) (*mcp.ClientSession, error) {
		return client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: d.Version})
	})
	if err != nil { // the server may know more of it
		return nil, nil, errors.Join(err, ended(transport, c.timeout))
	}
	c.Session = session
	return c, func() error { return c.close(transport) }, nil
}

func (c *Client) close(transport mcp.Transport) error {
	_, err := within(c.timeout, func(context.Context) (any, error) { return nil, c.Session.Close() })
	return errors.Join(err, ended(transport, c.timeout))
}

// ended waits for the end of a server in this process.
func ended(transport mcp.Transport, timeout time.Duration) error {
	l, ok := transport.(*local)
	if !ok {
		return nil
	}
	_, err := within(timeout, func(context.Context) (any, error) { return nil, l.wait() })
	return err
}

// within runs f and gives up on it when the time is over: a transport that is
// stuck in a write does not look at its context.
func within[T any](timeout time.Duration, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f(ctx)
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("no answer within %v: %w", timeout, ctx.Err())
	}
}

// InMemory returns a transport to srv in the same process. Connecting it
// starts srv.Run, which ends when the client closes the connection.
func InMemory(srv Runner) mcp.Transport { return new(Dialer).InMemory(srv) }

// InMemory is the function [InMemory] with the context of d.
func (d *Dialer) InMemory(srv Runner) mcp.Transport {
	ctx := d.Context
	if ctx == nil {
		ctx = context.Background()
	}
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
