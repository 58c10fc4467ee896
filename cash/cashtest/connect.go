package cashtest

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Runner serves one connection until its client disconnects: a face of this module, or an *mcp.Server.
type Runner interface {
	Run(context.Context, mcp.Transport) error
}

// A Dialer holds the options for connecting. The zero value is ready to use. Its methods correspond to the
// package's functions of the same name.
type Dialer struct {
	// Version is the protocol version that the client requests, such as "2025-11-25". Empty is the SDK's newest.
	Version string
	// Context is the context of an in-memory server. Put its caller there with registry.WithCaller. Nil is an empty
	// one.
	Context context.Context
	// HTTPClient is used by [Dialer.ConnectHTTP]. Nil is http.DefaultClient.
	HTTPClient *http.Client
	// Token is the bearer token that [Dialer.ConnectHTTP] sends with every request, to a server with a login. Empty
	// sends none.
	Token string
	// Client configures the SDK's client. Nil is a client without capabilities.
	Client *mcp.ClientOptions
	// Timeout is the deadline of each request; the test fails after it. Zero is 30 seconds.
	Timeout time.Duration
}

// Connect connects a client to srv in memory. The connection ends with the test. The test fails if srv then returns
// an error, or does not return.
func Connect(t testing.TB, srv Runner) *Client {
	t.Helper()
	return new(Dialer).Connect(t, srv)
}

// Serve serves h over HTTP on loopback, and returns its URL. The server ends with the test, after the clients that
// [ConnectHTTP] has connected to it, and whatever streams are open. The test fails if a handler then does not return.
//
// The Close of a server of package httptest waits for requests in progress. Deferred, it runs before the clients are
// closed, and waits for their open GET.
func Serve(t testing.TB, h http.Handler) string {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			web.Close()
		}()
		for late := time.After(maxEnding); ; {
			web.CloseClientConnections() // cancels the contexts of handlers; again for a client that came back meanwhile
			select {
			case <-done:
				return
			case <-late:
				t.Errorf("a handler still runs %v after the end of its request: it ignores its context", maxEnding)
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	return web.URL
}

// maxEnding is how long handlers may run after the end of the test.
const maxEnding = 10 * time.Second

// ConnectHTTP connects a client to the MCP endpoint at url, such as that of [Serve].
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

// Dial connects a client over transport, which must be new: a transport serves one connection.
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
	to := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: d.HTTPClient}
	if d.Token != "" {
		own := *cmp.Or(d.HTTPClient, http.DefaultClient)
		own.Transport = bearer{d.Token, cmp.Or[http.RoundTripper](own.Transport, http.DefaultTransport)}
		to.HTTPClient = &own
	}
	return d.Dial(t, to)
}

// bearer sends a token with every request.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// ConnectCommand is the function [ConnectCommand] with the options of d.
func (d *Dialer) ConnectCommand(t testing.TB, cmd *exec.Cmd) *Client {
	t.Helper()
	return d.Dial(t, &mcp.CommandTransport{Command: cmd})
}

// Dial is the function [Dial] with the options of d.
func (d *Dialer) Dial(t testing.TB, transport mcp.Transport) *Client {
	t.Helper()
	conn, err := client.Dial(context.Background(), transport, &client.Options{Version: d.Version, Client: d.Client, Timeout: d.Timeout})
	if err != nil {
		t.Fatalf("connecting: %v%s", err, loginHint(err))
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Errorf("ending the connection: %v", err)
		}
	})
	return &Client{Session: conn.Session, t: t, conn: conn}
}

// loginHint says how to connect to a server that has refused a client without a token.
func loginHint(err error) string {
	if !strings.Contains(err.Error(), http.StatusText(http.StatusUnauthorized)) {
		return ""
	}
	return " (the server wants a token: connect by Dialer.ConnectHTTP with a Token that its VerifyToken accepts)"
}

// InMemory returns a transport to srv in the same process. Connecting starts srv.Run, which ends when the client
// closes the connection.
func InMemory(srv Runner) mcp.Transport { return new(Dialer).InMemory(srv) }

// InMemory is the function [InMemory] with the context of d.
func (d *Dialer) InMemory(srv Runner) mcp.Transport {
	ctx := d.Context
	if ctx == nil {
		ctx = context.Background()
	}
	return client.InMemory(ctx, srv)
}

// A Face is a server with an in-memory and an HTTP transport, such as every face of this module.
type Face interface {
	Runner
	Handler() http.Handler
}

// A Link is a way to connect to a server: a transport and a protocol version.
type Link struct {
	HTTP    bool   // over HTTP on loopback; false is in memory
	Version string // protocol version; the server must agree to it
}

// Links returns the four links that differ for a server, in this order: in memory and over HTTP; in each with
// sessions (2025-11-25), then without (2026-07-28). Tests of a server's answers should loop over them.
func Links() []Link {
	return []Link{
		{false, "2025-11-25"},
		{false, "2026-07-28"},
		{true, "2025-11-25"},
		{true, "2026-07-28"},
	}
}

// String returns a name for subtests, such as http/2025-11-25.
func (l Link) String() string {
	if l.HTTP {
		return "http/" + l.Version
	}
	return "memory/" + l.Version
}

// Connect connects a client to srv as the caller c; nil is anonymous. Nil opts is a client without capabilities.
// Everything ends with the test, which fails if another version was negotiated.
func (l Link) Connect(t testing.TB, srv Face, c *registry.Caller, opts *mcp.ClientOptions) *Client {
	t.Helper()
	d := &Dialer{Version: l.Version, Context: registry.WithCaller(context.Background(), c), Client: opts}
	var client *Client
	if l.HTTP {
		handler := srv.Handler()
		url := Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handler.ServeHTTP(w, r.WithContext(registry.WithCaller(r.Context(), c)))
		}))
		client = d.ConnectHTTP(t, url)
	} else {
		client = d.Connect(t, srv)
	}
	if got := client.Session.InitializeResult().ProtocolVersion; got != l.Version {
		t.Fatalf("the server speaks %s, want %s", got, l.Version)
	}
	return client
}
