package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
)

// served is an MCP server over HTTP with the tool get, and the tool put.
func served(t *testing.T) string {
	t.Helper()
	srv := mcp.NewServer(&mcp.Implementation{Name: "behind", Version: "1"}, nil)
	for _, name := range []string{"get", "put"} {
		mcp.AddTool(srv, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " ran"}}}, nil, nil
		})
	}
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil))
	t.Cleanup(web.Close)
	return web.URL
}

// configuration writes a configuration file.
func configuration(t *testing.T, doc string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(name, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A running serve is the command in this process, with a pipe from its standard error.
type running struct {
	lines *bufio.Scanner
	end   context.CancelFunc
	err   chan error
}

func serveHTTP(t *testing.T, file string) *running {
	t.Helper()
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{lines: bufio.NewScanner(in), end: cancel, err: make(chan error, 1)}
	env := &environment{stdin: strings.NewReader(""), stdout: io.Discard, stderr: out, getenv: func(string) string { return "" }}
	go func() {
		r.err <- serve(ctx, env, []string{"-config", file, "-http", "127.0.0.1:0"})
		out.Close()
	}()
	t.Cleanup(cancel)
	return r
}

// line returns the first line of standard error that matches.
func (r *running) line(t *testing.T, pattern string) []string {
	t.Helper()
	for r.lines.Scan() {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(r.lines.Text()); m != nil {
			return m
		}
	}
	t.Fatalf("no line %s: %v", pattern, r.lines.Err())
	return nil
}

func (r *running) stop(t *testing.T) {
	t.Helper()
	r.end()
	for r.lines.Scan() {
	}
	if err := <-r.err; err != nil {
		t.Error(err)
	}
}

func TestServeHTTP(t *testing.T) {
	r := serveHTTP(t, configuration(t, "upstreams: [{label: a, endpoint: '"+served(t)+"'}]\n"))
	url := r.line(t, `serving at (http://\S+)/mcp`)[1]
	c := cashtest.ConnectHTTP(t, url+"/mcp")
	if reply := c.Call("a", "get", nil); reply.IsError || reply.Text != "get ran" {
		t.Errorf("%+v", reply)
	}
	for _, path := range []string{"/livez", "/readyz"} {
		resp, err := http.Get(url + path)
		if err != nil || resp.StatusCode != 200 {
			t.Errorf("%s: %v, %v", path, resp, err)
		}
		resp.Body.Close()
	}
	r.stop(t)
	if _, err := http.Get(url + "/livez"); err == nil {
		t.Error("it serves after its end")
	}
}

func TestServeEndpointAndErrors(t *testing.T) {
	url := served(t)
	good := configuration(t, "face: endpoint\nupstreams: [{label: a, endpoint: '"+url+"'}]\n")
	bad := configuration(t, "face: gateway\nretry:\n  max_attempts: many\n")
	needy := configuration(t, "upstreams: [{label: a, command: [no-such-program-at-all], required: true}]\n")
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"serve"}, 2, "name a file"},
		{[]string{"serve", "-config", good, "-stdio", "-http", ":0"}, 2, "at most one"},
		{[]string{"serve", "-config", good, "-http", ":0"}, 2, "face endpoint"},
		{[]string{"serve", "-config", good, "x"}, 2, "no arguments"},
		{[]string{"serve", "-config", good, "-public"}, 2, "-public is for -http"},
		{[]string{"serve", "-config", needy, "-http", ":0"}, 2, "there is no login"},
		{[]string{"serve", "-config", needy, "-http", "0.0.0.0:8080"}, 2, "listen at 127.0.0.1:8080"},
		{[]string{"serve", "-config", needy, "-http", "[::]:0"}, 2, "add -public"},
		{[]string{"serve", "-config", needy, "-http", "192.0.2.1:80"}, 2, "add -public"},
		{[]string{"serve", "-config", needy, "-http", "localhost"}, 2, "missing port"},
		{[]string{"serve", "-config", needy, "-http", ":0", "-public"}, 1, "a: the server is down"},
		{[]string{"serve", "-config", needy, "-http", "localhost:0"}, 1, "a: the server is down"},
		{[]string{"serve", "-config", "no-such-file"}, 2, "no-such-file"},
		{[]string{"serve", "-config", bad}, 2, bad + `:3:17: retry.max_attempts: "many" is not`},
		{[]string{"doctor", "-config", bad}, 2, bad + `:3:17: retry.max_attempts: "many" is not`},
		{[]string{"doctor"}, 2, "name a file"},
		{[]string{"serve", "-config", needy}, 1, "a: the server is down"},
		{[]string{"serve", "-config", needy}, 1, "\ncash doctor -config " + needy + " says how"},
	} {
		r := cashCommand(t, tt.args...)
		if r.code != tt.code || r.out != "" || !strings.Contains(r.err, tt.text) {
			t.Errorf("%v: status %d, out %q, errors %q; want %d, %q", tt.args, r.code, r.out, r.err, tt.code, tt.text)
		}
	}
	env, out := &environment{stdin: strings.NewReader(`{"action":"list_tools"}`), stderr: io.Discard}, new(strings.Builder)
	env.stdout = out
	if err := serve(t.Context(), env, []string{"-config", good}); err != nil || !strings.Contains(out.String(), `"get"`) && !strings.Contains(out.String(), "a.get") {
		t.Errorf("%v: %s", err, out)
	}
	env.stdin, out = strings.NewReader("nonsense"), new(strings.Builder)
	env.stdout = out
	var code status
	if err := serve(t.Context(), env, []string{"-config", good}); !errors.As(err, &code) || code != 1 {
		t.Errorf("%v: %s", err, out)
	}
	shown := cashCommand(t, "serve", "-config", good, "-print-effective-config")
	if shown.code != 0 || !strings.Contains(shown.out, "face: endpoint\n") || !strings.Contains(shown.out, "timeout: 1m\n") {
		t.Errorf("%+v", shown)
	}
}

// TestOperatorOnly: approvals that nobody can give here are told, at the start and by doctor.
func TestOperatorOnly(t *testing.T) {
	file := configuration(t, "approval: {operator_only: true}\npolicy: {default: require_approval}\nupstreams: [{label: a, endpoint: '"+served(t)+"'}]\n")
	r := serveHTTP(t, file)
	r.line(t, "^approval.operator_only: cash serve has no page for the operator")
	r.line(t, "^serving at ")
	r.stop(t)
	if d := cashCommand(t, "doctor", "-config", file); d.code != 0 || !strings.Contains(d.out, "note: approval.operator_only: ") {
		t.Errorf("%+v", d)
	}
}

// TestIdleConnection: a client that keeps a connection without requests loses it.
func TestIdleConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := webServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		client, conn := net.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- srv.Serve(&oneConn{conn: conn, closed: make(chan struct{})}) }()
		if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(client)
		if resp, err := http.ReadResponse(in, nil); err != nil || resp.StatusCode != 204 {
			t.Fatalf("%v, %v", resp, err)
		}
		begun := time.Now()
		_, err := in.ReadByte()
		if waited := time.Since(begun); err != io.EOF || waited != 2*time.Minute {
			t.Errorf("%v after %v", err, waited)
		}
		srv.Close()
		<-ended
	})
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// TestLogHidesSecrets holds that what a server writes to its standard error is logged without secrets.
func TestLogHidesSecrets(t *testing.T) {
	var b strings.Builder
	logger(&b, true).Info("the server wrote", "line", "connecting with password=hunter2hunter2", "err", errors.New("token=hunter2hunter2"))
	if got := b.String(); strings.Contains(got, "hunter2") || !strings.Contains(got, "level=INFO") || !strings.Contains(got, "connecting with password=") {
		t.Errorf("the log has %s", got)
	}
}

func TestServeStdio(t *testing.T) {
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	env := &environment{stdin: toServer, stdout: fromServer, stderr: io.Discard}
	done := make(chan error, 1)
	file := configuration(t, "upstreams: [{label: a, endpoint: '"+served(t)+"'}]\n")
	go func() { done <- serve(t.Context(), env, []string{"-config", file}) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"namespace": "a", "function": "get"}})
	if err != nil || res.IsError {
		t.Errorf("%v, %+v", err, res)
	}
	session.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestShut: a stop that is too slow for the calls says so.
func TestShut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), stopTimeout)
		defer cancel()
		slow := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		err := shut(ctx, slow, func(context.Context) error { return nil })
		if err == nil || err.Error() != "calls were still in flight after 10s, and were ended" {
			t.Errorf("got %v", err)
		}
	})
}

func TestDoctor(t *testing.T) {
	url := served(t)
	r := cashCommand(t, "doctor", "-config", configuration(t, "upstreams: [{label: a, endpoint: '"+url+"'}]\n"))
	if r.code != 0 || !strings.Contains(r.out, "a: connected, behind 1 (plain), 2 functions") || !strings.HasSuffix(r.out, "nothing is wrong\n") {
		t.Errorf("%+v", r)
	}
	program := self(t, "silent")[1]
	r = cashCommand(t, "doctor", "-config", configuration(t, fmt.Sprintf("upstreams: [{label: s, command: [%q], env: {%s: silent}}]\n", program, asServer)))
	if want := "problem: s: lost: the process ended with status 3\n    it wrote: cannot open the database [redacted: github-token]\n    Correct its command, "; r.code != 1 || !strings.Contains(r.out, want) {
		t.Errorf("no %q in %+v", want, r)
	}
	cut := web(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	r = cashCommand(t, "doctor", "-config", configuration(t, fmt.Sprintf("upstreams: [{label: c, endpoint: %q}]\n", cut)))
	if want := "problem: c: lost: the connection ended before the answer\n    Look at the server's log"; r.code != 1 || !strings.Contains(r.out, want) {
		t.Errorf("no %q in %+v", want, r)
	}
	file := configuration(t, fmt.Sprintf("cache: {read_only: true, allow: [a.gte]}\nupstreams:\n  - {label: a, endpoint: %q}\n  - {label: b, endpoint: %q}\n", url, "http://127.0.0.1:1/x"))
	r = cashCommand(t, "doctor", "-config", file)
	for _, want := range []string{"problem: b: ", "reached from here", "problem: " + file + ":1:34: cache.allow[0]: there is no such function", "mend that first"} {
		if r.code != 1 || !strings.Contains(r.out, want) {
			t.Errorf("no %q in %+v", want, r)
		}
	}
}
