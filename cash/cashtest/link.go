package cashtest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Face is a server that can be reached in memory and over HTTP, such as every
// face of this module.
type Face interface {
	Runner
	Handler() http.Handler
}

// A Link is a way for a client to reach a server: a transport, and a version of
// the protocol of one of its generations.
type Link struct {
	HTTP    bool   // over HTTP on loopback; false is in memory
	Version string // of the protocol; the server must agree to it
}

// Links returns the four ways that differ for a server: in memory and over HTTP,
// with sessions (2025-11-25) and without (2026-07-28), in this order: the two in
// memory first, in each the one with sessions. A test of what a server answers
// belongs into a loop over them.
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

// Connect connects a client to srv, whose requests come from the caller c; nil is
// anonymous. Nil opts is a client without abilities. All that it has started
// ends with the test, which fails if another version was agreed on.
func (l Link) Connect(t testing.TB, srv Face, c *registry.Caller, opts *mcp.ClientOptions) *Client {
	t.Helper()
	d := &Dialer{Version: l.Version, Context: registry.WithCaller(context.Background(), c), Client: opts}
	var client *Client
	if l.HTTP {
		handler := srv.Handler()
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handler.ServeHTTP(w, r.WithContext(registry.WithCaller(r.Context(), c)))
		}))
		t.Cleanup(web.Close)
		client = d.ConnectHTTP(t, web.URL)
	} else {
		client = d.Connect(t, srv)
	}
	if got := client.Session.InitializeResult().ProtocolVersion; got != l.Version {
		t.Fatalf("the server speaks %s, want %s", got, l.Version)
	}
	return client
}
