package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// whoami is a registry with a function that tells who called, and one that
// only a boss sees.
func whoami() *registry.Registry {
	reg := registry.New(nil)
	who := registry.Func("whoami", "Tell who is calling.", func(ctx context.Context, _ struct{}) (string, error) {
		c := registry.CallerFrom(ctx)
		if c.Anonymous() {
			return "nobody", nil
		}
		return c.ID + " " + strings.Join(c.Roles, ","), nil
	})
	secret := registry.Func("secret", "For the boss.", func(context.Context, struct{}) (string, error) { return "gold", nil }, registry.VisibleTo(registry.Roles("boss")))
	reg.Namespace("", "").Add(who, secret)
	return reg
}

// generations are the protocol versions that select the two HTTP generations.
var generations = []string{"2025-11-25", "2026-07-28"}

// dial connects over HTTP in a generation, with headers on every request.
func dial(t *testing.T, url, version string, header http.Header) *mcp.ClientSession {
	t.Helper()
	s, err := tryDial(t, url, version, header)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tryDial(t *testing.T, url, version string, header http.Header) (*mcp.ClientSession, error) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	transport := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withHeader{base, header}}}
	s, err := client.Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { s.Close() })
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	return s, nil
}

type withHeader struct {
	next   http.RoundTripper
	header http.Header
}

func (w withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range w.header {
		r.Header[k] = v
	}
	return w.next.RoundTrip(r)
}

func call(t *testing.T, s *mcp.ClientSession, function string) (string, bool) {
	t.Helper()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"function": function}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

func start(t *testing.T, opts serve.Options, wrap func(http.Handler) http.Handler) (*cash.Server, string) {
	t.Helper()
	srv := cash.NewServer(whoami(), &cash.Options{Serve: opts})
	h := srv.Handler()
	if wrap != nil {
		h = wrap(h)
	}
	ts := httptest.NewServer(h)
	t.Cleanup(ts.Close)
	return srv, ts.URL
}

func TestBothGenerations(t *testing.T) {
	_, url := start(t, serve.Options{}, nil)
	for _, v := range generations {
		s := dial(t, url, v, nil)
		tools, err := s.ListTools(context.Background(), nil)
		if err != nil || len(tools.Tools) != 3 {
			t.Errorf("%s: %v, %v", v, tools, err)
		}
		if text, isErr := call(t, s, "whoami"); text != "nobody" || isErr {
			t.Errorf("%s: %s", v, text)
		}
		if text, isErr := call(t, s, "secret"); !isErr || !strings.Contains(text, "No function") {
			t.Errorf("%s: %s", v, text)
		}
	}
}

func TestIdentityFromHook(t *testing.T) {
	_, url := start(t, serve.Options{Identify: func(_ context.Context, in *serve.Incoming) (*registry.Caller, error) {
		user := in.Header.Get("X-User")
		if user == "mallory" {
			return nil, errors.New("you are banned")
		}
		return &registry.Caller{ID: user, Roles: []string{in.Header.Get("X-Role")}}, nil
	}}, nil)
	for _, v := range generations {
		if text, _ := call(t, dial(t, url, v, http.Header{"X-User": {"ann"}, "X-Role": {"boss"}}), "whoami"); text != "ann boss" {
			t.Errorf("%s: %s", v, text)
		}
		if text, isErr := call(t, dial(t, url, v, http.Header{"X-User": {"mallory"}}), "whoami"); !isErr || !strings.Contains(text, "banned") {
			t.Errorf("%s: %s", v, text)
		}
	}
}

// TestIdentityIsPerRequest holds that a session does not keep the identity of
// its first request.
func TestIdentityIsPerRequest(t *testing.T) {
	header := http.Header{"X-User": {"ann"}}
	_, url := start(t, serve.Options{Identify: func(_ context.Context, in *serve.Incoming) (*registry.Caller, error) {
		return &registry.Caller{ID: in.Header.Get("X-User")}, nil
	}}, nil)
	for _, v := range generations {
		header["X-User"] = []string{"ann"}
		s := dial(t, url, v, header)
		call(t, s, "whoami")
		header["X-User"] = []string{"bob"}
		if text, _ := call(t, s, "whoami"); text != "bob " {
			t.Errorf("%s: after a change of identity: %q", v, text)
		}
	}
}

func verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	if token != "good" {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: "ann", Scopes: []string{"boss"}, Expiration: time.Now().Add(time.Hour)}, nil
}

func TestBearerToken(t *testing.T) {
	_, url := start(t, serve.Options{VerifyToken: verify}, nil)
	for _, v := range generations {
		s := dial(t, url, v, http.Header{"Authorization": {"Bearer good"}})
		if text, _ := call(t, s, "whoami"); text != "ann boss" {
			t.Errorf("%s: %s", v, text)
		}
		if text, isErr := call(t, s, "secret"); isErr || text != "gold" {
			t.Errorf("%s: %s", v, text)
		}
		if _, err := tryDial(t, url, v, http.Header{"Authorization": {"Bearer bad"}}); err == nil {
			t.Errorf("%s: a bad token is let in", v)
		}
	}
	res, err := http.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %s", res.Status)
	}
}

// TestIdentityFromOwnMiddleware is for services that have a login already.
func TestIdentityFromOwnMiddleware(t *testing.T) {
	_, url := start(t, serve.Options{}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user := r.Header.Get("X-User"); user != "" {
				r = r.WithContext(registry.WithCaller(r.Context(), &registry.Caller{ID: user, Roles: []string{"boss"}}))
			}
			next.ServeHTTP(w, r)
		})
	})
	for _, v := range generations {
		header := http.Header{"X-User": {"ann"}}
		s := dial(t, url, v, header)
		if text, _ := call(t, s, "whoami"); text != "ann boss" {
			t.Errorf("%s: %s", v, text)
		}
		if text, _ := call(t, dial(t, url, v, nil), "whoami"); text != "nobody" {
			t.Errorf("%s: %s", v, text)
		}
	}
	// A session belongs to who opened it.
	header := http.Header{"X-User": {"ann"}}
	s := dial(t, url, generations[0], header)
	header["X-User"] = []string{"bob"}
	if _, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "help"}); err == nil {
		t.Error("another user's session is let in")
	}
}

func TestHTTPLimits(t *testing.T) {
	_, url := start(t, serve.Options{MaxBody: 1000, MaxSessions: 2}, nil)
	post := func(edit func(*http.Request)) int {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		edit(r)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	if got := post(func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }); got != http.StatusForbidden {
		t.Errorf("another origin: %d", got)
	}
	if got := post(func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }); got != http.StatusForbidden {
		t.Errorf("a cross-site request: %d", got)
	}
	if got := post(func(r *http.Request) { r.Host = "evil.example" }); got != http.StatusForbidden {
		t.Errorf("a rebound host: %d", got)
	}
	if got := post(func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		big := bytes.Repeat([]byte(" "), 2000)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(big)), int64(len(big))
	}); got != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large: %d", got)
	}
	for i, want := range []int{200, 200, 503, 503} {
		if got := post(func(*http.Request) {}); got != want {
			t.Errorf("session %d: %d, want %d", i, got, want)
		}
	}
}

// TestIdleSessionsEnd holds that abandoned sessions leave nothing behind.
func TestIdleSessionsEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	srv := cash.NewServer(whoami(), &cash.Options{Serve: serve.Options{SessionTimeout: 50 * time.Millisecond}})
	ts := httptest.NewServer(srv.Handler())
	for range 20 {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		r, _ := http.NewRequest(http.MethodPost, ts.URL, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		res, err := ts.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	ts.Client().CloseIdleConnections()
	ts.Close()
	waitForGoroutines(t, before)
}

func waitForGoroutines(t *testing.T, most int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > most {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, want at most %d:\n%s", runtime.NumGoroutine(), most, buf[:runtime.Stack(buf, true)])
		}
		<-time.After(5 * time.Millisecond)
	}
}

// TestLargeArgument holds that an argument beyond the limit is answered by the
// tool, and a message beyond that of messages in front of it, and that neither
// costs the connection, in both generations.
func TestLargeArgument(t *testing.T) {
	_, url := start(t, serve.Options{}, nil)
	for _, v := range generations {
		s := dial(t, url, v, nil)
		send := func(size int) (*mcp.CallToolResult, error) {
			args, _ := json.Marshal(map[string]any{"function": "whoami", "kwargs": map[string]any{"x": strings.Repeat("x", size)}})
			return s.CallTool(context.Background(), &mcp.CallToolParams{Name: "call", Arguments: json.RawMessage(args)})
		}
		if res, err := send(registry.DefaultMaxArguments); err != nil || !res.IsError {
			t.Errorf("%s: %v, %v", v, res, err)
		}
		if _, err := send(10 << 20); err == nil || !strings.Contains(err.Error(), "the message is larger than 4456448 bytes") {
			t.Errorf("%s: %v", v, err)
		}
		if text, _ := call(t, s, "whoami"); text != "nobody" {
			t.Errorf("%s: afterwards: %s", v, text)
		}
	}
}
