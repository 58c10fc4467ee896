package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/examples/embed/desk/desktest"
)

var protocolVersions = []string{"2025-11-25", "2026-07-28"}

const (
	testKeys  = "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
	publicURL = "https://desk.example"
)

// testEnv is the environment of a service.
func testEnv(name string) string {
	return map[string]string{"DESK_KEYS": testKeys, "DESK_CARRIER_TOKEN": serviceToken}[name]
}

// stand is the service behind a reverse proxy on the same machine, which speaks TLS, keeps the Host header and names the
// client.
type stand struct {
	*Service
	logs   *lines
	client *http.Client // it finds the proxy by every name
	stop   context.CancelFunc
	ended  chan error // the result of serve
}

// newStand starts a service over store, with further flags. It ends with the test.
func newStand(t *testing.T, store Store, flags ...string) *stand {
	t.Helper()
	cfg, err := Configure(append([]string{"-url", publicURL}, flags...), testEnv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{logs: new(lines), ended: make(chan error, 1)}
	if s.Service, err = New(cfg, s.logs, &Options{Store: store}); err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.ended <- s.serve(ctx, listener)
	}()
	t.Cleanup(func() {
		s.stop()
		<-ended
		if t.Failed() {
			t.Logf("the log of the service:\n%s", s.logs.text.String())
		}
	})
	s.client = desktest.Proxy(t, listener.Addr().String(), s.logs)
	return s
}

// token returns a token for a user.
func (s *stand) token(user string) string { return s.login.token(user, time.Now().Add(time.Hour)) }

// connect connects a real MCP client through the proxy, as a user.
func (s *stand) connect(t *testing.T, user, version string) *cashtest.Client {
	t.Helper()
	d := &cashtest.Dialer{Version: version, HTTPClient: s.client, Token: s.token(user)}
	c := d.ConnectHTTP(t, publicURL+"/mcp")
	if got := c.Session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the protocol version is %s, want %s", got, version)
	}
	return c
}

// as returns a client that sends a token with every request; none if it is empty.
func (s *stand) as(token string) *http.Client {
	return &http.Client{Transport: bearer{token, s.client.Transport}}
}

type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(r)
}

// closeTicket closes a ticket through MCP. Unlike a cashtest.Client, it may be used in any goroutine.
func closeTicket(ctx context.Context, c *mcp.ClientSession, ticket string) (string, error) {
	args := map[string]any{"namespace": "tickets", "function": "close", "kwargs": TicketRef{ticket}}
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: args})
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(r.Content)
	return strings.ReplaceAll(string(data), `\"`, `"`), err
}

// answer is the answer to an HTTP request.
type answer struct {
	code   int
	header http.Header
	body   string
}

// do sends a request through the proxy. Header holds pairs of name and value.
func (s *stand) do(t *testing.T, token, method, path, body string, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, publicURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := s.as(token).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(data)}
}

// lines are the events that a service has logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// events returns the events with a message, oldest first.
func (l *lines) events(t *testing.T, message string) []map[string]any {
	t.Helper()
	l.mu.Lock()
	text := l.text.String()
	l.mu.Unlock()
	var list []map[string]any
	for line := range strings.Lines(text) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e["msg"] == message {
			list = append(list, e)
		}
	}
	return list
}
