package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// patience is far longer than anything here takes that works.
const patience = 20 * time.Second

// within returns what f returns, and fails the test if it does not.
func within(t *testing.T, what string, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatalf("%s does not return", what)
		return nil
	}
}

// huge is a registry with a function whose result no buffer takes, and a
// channel that is closed when it has been called.
func huge() (*registry.Registry, chan struct{}) {
	called := make(chan struct{})
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("huge", "Answer at length.", func(context.Context, struct{}) (string, error) {
		close(called)
		return strings.Repeat("x", 20_000_000), nil
	}))
	return reg, called
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	requestMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

// stateless makes a POST request of the generation without sessions.
func stateless(t *testing.T, url, method, name, params string) *http.Request {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":%q,"params":{%s%s}}`, method, params, requestMeta)
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		if v != "" {
			r.Header.Set(k, v)
		}
	}
	return r
}

// TestShutdownWithoutReader holds that an HTTP client that does not read its
// answer does not keep the server from stopping.
func TestShutdownWithoutReader(t *testing.T) {
	reg, called := huge()
	srv := cash.NewServer(reg, nil)
	ts := httptest.NewServer(srv.Handler())
	defer ts.Close()
	conn, err := net.Dial("tcp", ts.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	call := stateless(t, ts.URL, "tools/call", "call", `"name":"call","arguments":{"function":"huge","sizelimit":99999999},`)
	if err := call.Write(conn); err != nil {
		t.Fatal(err)
	}
	<-called
	if err := within(t, "Shutdown", func() error { return srv.Shutdown(context.Background()) }); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	ts.CloseClientConnections()
}

// TestRunWithoutReader is the same for a client on standard input and output.
func TestRunWithoutReader(t *testing.T) {
	reg, called := huge()
	srv := cash.NewServer(reg, nil)
	serverIn, out := io.Pipe()
	in, serverOut := io.Pipe()
	defer in.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx, &mcp.IOTransport{Reader: serverIn, Writer: serverOut}) }()
	go io.WriteString(out, initialize+"\n")
	if _, err := in.Read(make([]byte, 1<<16)); err != nil {
		t.Fatal(err)
	}
	io.WriteString(out, initialized+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call","arguments":{"function":"huge","sizelimit":99999999}}}`+"\n")
	<-called
	cancel()
	if err := within(t, "Run", func() error { return <-ended }); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
}

// TestShutdownWhileAHookHangs holds that code of the embedder's that ignores
// its context does not keep the server from stopping.
func TestShutdownWhileAHookHangs(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	srv := cash.NewServer(whoami(), &cash.Options{HelpText: func(context.Context, *cash.HelpRequest, string) string {
		close(begun)
		<-release
		return ""
	}})
	ts := httptest.NewServer(srv.Handler())
	defer ts.Close()
	s := dial(t, ts.URL, generations[1], nil)
	answer := make(chan reply, 1)
	go func() {
		res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "help"})
		if err != nil {
			answer <- reply{err: err}
			return
		}
		answer <- reply{res.Content[0].(*mcp.TextContent).Text, res.IsError, nil}
	}()
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := within(t, "Shutdown", func() error { return srv.Shutdown(ctx) }); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	if r := <-answer; !r.isError || !strings.Contains(r.text, "shutting down") {
		t.Errorf("the client got %+v", r)
	}
}

// TestAfterShutdown holds that a server that is closed stays closed, whatever
// it is served through.
func TestAfterShutdown(t *testing.T) {
	srv := cash.NewServer(whoami(), nil)
	ts := httptest.NewServer(srv.Handler())
	defer ts.Close()
	near, far := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(context.Background(), far) }()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(context.Background(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		if err := within(t, "Shutdown", func() error { return srv.Shutdown(context.Background()) }); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	}
	if err := within(t, "Run", func() error { return <-ended }); !errors.Is(err, serve.ErrServerClosed) {
		t.Errorf("Run: %v", err)
	}
	_, far = mcp.NewInMemoryTransports()
	if err := within(t, "Run", func() error { return srv.Run(context.Background(), far) }); !errors.Is(err, serve.ErrServerClosed) {
		t.Errorf("Run of a closed server: %v", err)
	}
	get, _ := http.NewRequest(http.MethodGet, ts.URL, nil)
	post, _ := http.NewRequest(http.MethodPost, ts.URL, strings.NewReader(initialize))
	for _, r := range []*http.Request{get, post, stateless(t, ts.URL, "tools/list", "", "")} {
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %s", r.Method, res.Status)
		}
	}
}
