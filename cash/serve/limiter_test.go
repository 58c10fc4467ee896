package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// limited are options with a Limiter.
func limited(l registry.Limits) serve.Options {
	return serve.Options{Limiter: registry.NewLimiter(&l)}
}

// mcpServer is what the servers of all faces have.
type mcpServer interface {
	Handler() http.Handler
	Run(context.Context, mcp.Transport) error
	Shutdown(context.Context) error
}

// facesOf are all faces over a registry, each with a tool that runs the function slow of the namespace
// shop, and what it has besides.
func facesOf(reg *registry.Registry, opts serve.Options) map[string]struct {
	srv    mcpServer
	run    mcp.CallToolParams
	others []mcp.CallToolParams
} {
	type face = struct {
		srv    mcpServer
		run    mcp.CallToolParams
		others []mcp.CallToolParams
	}
	params := func(name string, args map[string]any) mcp.CallToolParams {
		return mcp.CallToolParams{Name: name, Arguments: args}
	}
	f, _ := reg.Function(context.Background(), "shop", "slow")
	id := f.Primitive().String()
	return map[string]face{
		"cash": {cash.NewServer(reg, &cash.Options{Serve: opts}), params("call", map[string]any{"namespace": "shop", "function": "slow"}),
			[]mcp.CallToolParams{params("help", nil), params("help", map[string]any{"kwargs": map[string]any{"search": "slow"}}), params("skill", nil)}},
		"gateway": {gateway.NewServer(reg, &gateway.Options{Serve: opts}), params("tool_execute", map[string]any{"tool_id": id, "args": map[string]any{}}),
			[]mcp.CallToolParams{params("tool_browse", map[string]any{"query": "slow"}), params("tool_browse", map[string]any{"path": "/"})}},
		"facade": {facade.NewServer(reg, &facade.Options{Serve: opts}), params("ShopExecute", map[string]any{"cmd": "slow", "params": map[string]any{}}),
			[]mcp.CallToolParams{params("ShopExecute", map[string]any{"cmd": "help"})}},
		"plain":      {plain.NewServer(reg, &plain.Options{Serve: opts}), params(f.FlatName(), nil), nil},
		"disclosure": {disclosure.NewServer(reg, &disclosure.Options{Serve: opts}), params(f.FlatName(), nil), nil},
	}
}

// TestLimiterInAllFaces holds that every face and every transport has the limits: on calls and on what
// else costs time. What connects a client, or costs nothing, is not refused.
func TestLimiterInAllFaces(t *testing.T) {
	for _, transport := range append(generations, "memory") {
		reg, begun, end := slowShop()
		for name, face := range facesOf(reg, limited(registry.Limits{Calls: 1, Queue: -1})) {
			if name == "disclosure" && transport == generations[1] {
				continue // it has sessions only
			}
			t.Run(name+"/"+transport, func(t *testing.T) {
				connect := func() *mcp.ClientSession { return inMemory(t, face.srv) }
				if transport != "memory" {
					ts := httptest.NewServer(face.srv.Handler())
					t.Cleanup(ts.Close)
					connect = func() *mcp.ClientSession { return dial(t, ts.URL, transport, nil) }
				}
				s, other := connect(), connect()
				if name == "disclosure" { // who calls a tool must have read about it
					for _, s := range []*mcp.ClientSession{s, other} {
						if _, err := s.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "resource:///tool_descriptions?tools=" + face.run.Name}); err != nil {
							t.Fatal(err)
						}
					}
				}
				answer := aside(s, face.run)
				begins(t, begun, answer)
				for _, p := range append(face.others, face.run) {
					res, err := other.CallTool(context.Background(), &p)
					if err != nil || !res.IsError || !strings.Contains(textOf(res), "The server is busy") || !strings.Contains(textOf(res), "Try again in 2 s") {
						t.Errorf("%s %v: %v, %v", p.Name, p.Arguments, res, err)
					}
				}
				if _, err := other.ListTools(context.Background(), nil); err != nil && !busy(err) || err == nil && name != "cash" && name != "gateway" {
					t.Errorf("tools/list: %v", err)
				}
				if name == "cash" {
					if _, err := other.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "skill://shop/none/SKILL.md"}); !busy(err) {
						t.Errorf("resources/read: %v", err)
					}
				}
				if transport != generations[1] {
					if err := other.Ping(context.Background(), nil); err != nil {
						t.Errorf("ping: %v", err)
					}
				}
				connect()
				end <- struct{}{}
				if r := <-answer; r.err != nil || r.isError {
					t.Errorf("the call: %+v", r)
				}
				answer = aside(other, face.run)
				begins(t, begun, answer)
				end <- struct{}{}
				if r := <-answer; r.err != nil || r.isError {
					t.Errorf("afterwards: %+v", r)
				}
			})
		}
	}
}

// slowShop is a registry with the function slow, which says when it has begun and ends when it is told to.
func slowShop() (reg *registry.Registry, begun, end chan struct{}) {
	begun, end = make(chan struct{}), make(chan struct{})
	reg = registry.New(nil)
	reg.Namespace("shop", "A shop.").Add(registry.Func("slow", "Take a while.", func(ctx context.Context, _ struct{}) (string, error) {
		begun <- struct{}{}
		select {
		case <-end:
		case <-ctx.Done():
		}
		return "done", ctx.Err()
	}))
	return reg, begun, end
}

// busy reports whether a request is refused as one too many.
func busy(err error) bool {
	var wire *jsonrpc.Error
	return errors.As(err, &wire) && wire.Code == -32000 && strings.Contains(wire.Message, "Try again in 2 s")
}

func inMemory(t *testing.T, srv mcpServer) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(context.Background(), far) }()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(context.Background(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		<-ended
	})
	return s
}

func textOf(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

func aside(s *mcp.ClientSession, params mcp.CallToolParams) <-chan reply {
	c := make(chan reply, 1)
	go func() {
		res, err := s.CallTool(context.Background(), &params)
		if err != nil {
			c <- reply{err: err}
			return
		}
		c <- reply{textOf(res), res.IsError, nil}
	}()
	return c
}

// begins waits until a function has begun.
func begins(t *testing.T, begun <-chan struct{}, answer <-chan reply) {
	t.Helper()
	select {
	case <-begun:
	case r := <-answer:
		t.Fatalf("the call was not run: %+v, %v", r, r.err)
	}
}

// TestLimiterWithoutTransport holds that the methods of a server have the limits too, with the callers
// of all transports.
func TestLimiterWithoutTransport(t *testing.T) {
	reg, begun, end := slowShop()
	opts := limited(registry.Limits{Calls: 4, Queue: -1})
	srv := cash.NewServer(reg, &cash.Options{Serve: opts})
	gate := gateway.NewServer(reg, &gateway.Options{Serve: opts}) // shares the limiter
	ts := httptest.NewServer(login(srv.Handler()))
	defer ts.Close()
	answer := aside(dial(t, ts.URL, generations[1], http.Header{"X-User": {"ann"}}), mcp.CallToolParams{Name: "call", Arguments: map[string]any{"namespace": "shop", "function": "slow"}})
	<-begun
	ann := registry.WithCaller(context.Background(), &registry.Caller{ID: "ann"})
	bob := registry.WithCaller(context.Background(), &registry.Caller{ID: "bob"})
	for name, f := range map[string]func(context.Context) error{
		"call": func(ctx context.Context) error {
			_, err := srv.Call(ctx, &cash.CallRequest{Function: "none"})
			return err
		},
		"help":  func(ctx context.Context) error { _, err := srv.Help(ctx, nil); return err },
		"skill": func(ctx context.Context) error { _, err := srv.Skill(ctx, nil); return err },
		"browse": func(ctx context.Context) error {
			_, err := gate.Browse(ctx, &gateway.BrowseRequest{Path: "/"})
			return err
		},
		"view": func(ctx context.Context) error { _, err := gate.View(ctx, nil); return err },
		"hydrate": func(ctx context.Context) error {
			_, err := gate.Hydrate(ctx, "shop:slow")
			return err
		},
		"execute": func(ctx context.Context) error {
			_, err := gate.Execute(ctx, &gateway.ExecuteRequest{ID: "shop:none"})
			return err
		},
	} {
		if err := f(ann); err == nil || !strings.Contains(err.Error(), "You have a call in progress") {
			t.Errorf("%s: %v", name, err)
		}
		if err := f(bob); err != nil && strings.Contains(err.Error(), "in progress") {
			t.Errorf("%s of another: %v", name, err)
		}
	}
	end <- struct{}{}
	if r := <-answer; r.text != "done" {
		t.Errorf("%+v", r)
	}
}

// TestCancelWhileQueued holds that a call that is cancelled while it waits leaves the queue at once,
// over HTTP of both generations and in memory.
func TestCancelWhileQueued(t *testing.T) {
	for _, transport := range append(generations, "memory") {
		t.Run(transport, func(t *testing.T) {
			reg, begun, end := slowShop()
			opts := limited(registry.Limits{Calls: 1, Queue: 1, Wait: time.Hour})
			srv := cash.NewServer(reg, &cash.Options{Serve: opts})
			waiting := func() int {
				_, n := opts.Limiter.InProgress()
				return n
			}
			connect := func() *mcp.ClientSession { return inMemory(t, srv) }
			if transport != "memory" {
				ts := httptest.NewServer(srv.Handler())
				t.Cleanup(ts.Close)
				connect = func() *mcp.ClientSession { return dial(t, ts.URL, transport, nil) }
			}
			s := connect()
			slow := mcp.CallToolParams{Name: "call", Arguments: map[string]any{"namespace": "shop", "function": "slow"}}
			first := aside(s, slow)
			<-begun
			ctx, cancel := context.WithCancel(context.Background())
			second := make(chan error, 1)
			other := connect()
			go func() {
				_, err := other.CallTool(ctx, &slow)
				second <- err
			}()
			waitFor(t, "a call in the queue", func() bool { return waiting() == 1 })
			cancel()
			if err := <-second; !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			waitFor(t, "an empty queue", func() bool { return waiting() == 0 })
			third := aside(connect(), slow)
			end <- struct{}{}
			<-begun // of the third, not of the second
			end <- struct{}{}
			for _, c := range []<-chan reply{first, third} {
				if r := <-c; r.text != "done" {
					t.Errorf("%+v: %v", r, r.err)
				}
			}
		})
	}
}

func waitFor(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !f(); {
		if time.Now().After(deadline) {
			t.Fatalf("no %s", what)
		}
		runtime.Gosched()
	}
}

// TestShutdownWhileQueued holds that calls that wait for a place are refused at once when the server
// stops, and that those which run may finish.
func TestShutdownWhileQueued(t *testing.T) {
	for _, transport := range append(generations, "memory", "memory, one connection ends") {
		t.Run(transport, func(t *testing.T) {
			reg, begun, end := slowShop()
			opts := limited(registry.Limits{Calls: 1, Queue: 8, Wait: time.Hour})
			srv := cash.NewServer(reg, &cash.Options{Serve: opts})
			var s *mcp.ClientSession
			stop := func() error { return srv.Shutdown(context.Background()) }
			switch transport {
			case "memory":
				s = inMemory(t, srv)
			case "memory, one connection ends":
				s, stop = runInMemory(t, srv)
			default:
				ts := httptest.NewServer(srv.Handler())
				t.Cleanup(ts.Close)
				s = dial(t, ts.URL, transport, nil)
			}
			slow := mcp.CallToolParams{Name: "call", Arguments: map[string]any{"namespace": "shop", "function": "slow"}}
			first := aside(s, slow)
			<-begun
			queued := []<-chan reply{aside(s, slow), aside(s, mcp.CallToolParams{Name: "help"})}
			waitFor(t, "two calls in the queue", func() bool {
				_, waiting := opts.Limiter.InProgress()
				return waiting == 2
			})
			stopped := make(chan error, 1)
			go func() { stopped <- stop() }()
			for _, c := range queued {
				if r := <-c; !r.isError || !strings.Contains(r.text, "shutting down") || strings.Contains(r.text, "taken effect") {
					t.Errorf("a call in the queue got %+v", r)
				}
			}
			select {
			case err := <-stopped:
				t.Errorf("it stopped before the call that runs: %v", err)
			default:
			}
			end <- struct{}{}
			if r := <-first; r.text != "done" {
				t.Errorf("the call that runs got %+v: %v", r, r.err)
			}
			if err := <-stopped; err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestRequestsInProgress holds that requests without an answer are bounded before they are read, and
// that a known caller finds room beside others.
func TestRequestsInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := cash.NewServer(whoami(), &cash.Options{Serve: limited(registry.Limits{Calls: 128, PerCaller: 4, Queue: -1})})
		send := pipe(t, login(srv.Handler()))
		// Each request has a header and no body. There is room for 256, for 192 of unknown clients, for 64 of a caller.
		version, method := "2026-07-28", "tools/list"
		begin := func(user string) net.Conn {
			return send(func(conn net.Conn) {
				r := stateless(t, "http://localhost/", method, "", "")
				r.Header.Set("Mcp-Protocol-Version", version)
				fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nX-User: %s\r\nContent-Length: %d\r\n", user, r.ContentLength)
				r.Header.Write(conn)
				fmt.Fprint(conn, "\r\n")
			})
		}
		refused := func(user string) bool {
			t.Helper()
			conn := begin(user)
			defer conn.Close()
			synctest.Wait()
			conn.SetReadDeadline(time.Now().Add(time.Millisecond))
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil && (res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "") {
				t.Errorf("%s", res.Status)
			}
			return err == nil
		}
		var first []net.Conn
		for user, n := range map[string]int{"": 192, "ann": 64} {
			if user == "ann" && refused(user) {
				t.Error("a caller finds no room")
			}
			for range n {
				conn := begin(user)
				defer conn.Close()
				first = append(first, conn)
			}
			synctest.Wait()
			if !refused(user) {
				t.Errorf("%d requests and one more of %q are taken", n, user)
			}
		}
		if !refused("bob") {
			t.Error("257 requests are taken")
		}
		version, method = "2025-11-25", "subscriptions/listen" // which no body of that version has to say
		if !refused("bob") {
			t.Error("257 requests are taken, if the last one says that it lasts")
		}
		version, method = "2026-07-28", "tools/list"
		subscribe := send(func(conn net.Conn) {
			r := stateless(t, "http://localhost/", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true},`)
			r.Header.Set("X-User", "eve")
			r.Write(conn)
		})
		if res, err := http.ReadResponse(bufio.NewReader(subscribe), nil); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("a subscription: %v, %v", res, err)
		}
		subscribe.Close()
		first[0].Close()
		synctest.Wait()
		if refused("bob") {
			t.Error("there is no room in the place of who is gone")
		}
		time.Sleep(time.Minute)
	})
}

// pipe serves h without a network. send opens a connection, and returns it when f has written to it.
func pipe(t *testing.T, h http.Handler) (send func(f func(net.Conn)) net.Conn) {
	conns := make(chan net.Conn)
	web := &http.Server{Handler: h}
	go web.Serve(pipes(conns))
	t.Cleanup(func() { web.Close() })
	return func(f func(net.Conn)) net.Conn {
		near, far := net.Pipe()
		conns <- far
		f(near)
		return near
	}
}

// TestSlowReaders holds that clients that do not read their answers keep nobody else from being
// served, and are cut off after a while.
func TestSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var called atomic.Int32
		reg := registry.New(nil)
		reg.Namespace("", "").Add(
			registry.Func("huge", "Return much.", func(context.Context, struct{}) (string, error) {
				called.Add(1)
				return strings.Repeat("x", 1<<18), nil
			}),
			registry.Func("small", "Return little.", func(context.Context, struct{}) (string, error) { return "little", nil }))
		srv := cash.NewServer(reg, &cash.Options{Serve: limited(registry.Limits{Calls: 8, Queue: -1})})
		open := pipe(t, srv.Handler())
		send := func(function string) net.Conn {
			return open(func(conn net.Conn) {
				r := stateless(t, "http://localhost/", "tools/call", "call", `"name":"call","arguments":{"function":"`+function+`","sizelimit":99999999},`)
				if err := r.Write(conn); err != nil {
					t.Fatal(err)
				}
			})
		}
		began := time.Now()
		var slow []net.Conn
		const many = 192 // requests in progress of unknown clients
		for range many - 1 {
			slow = append(slow, send("huge"))
			synctest.Wait()
		}
		if called.Load() != many-1 {
			t.Errorf("%d calls ran", called.Load())
		}
		get := func() string {
			conn := send("small")
			defer conn.Close()
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			return string(body)
		}
		if got := get(); !strings.Contains(got, "little") {
			t.Errorf("while all but one do not read: %s", got)
		}
		slow = append(slow, send("huge"))
		synctest.Wait()
		if got := get(); !strings.Contains(got, "too many requests in progress") || time.Since(began) != 0 {
			t.Errorf("while all do not read: %s, after %v", got, time.Since(began))
		}
		time.Sleep(31 * time.Second)
		if got := get(); !strings.Contains(got, "little") {
			t.Errorf("after a while: %s", got)
		}
		// Who reads slowly, but reads, gets its answer.
		conn := send("huge")
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		total, began := 0, time.Now()
		for buf := make([]byte, 4<<10); err == nil; time.Sleep(time.Second) {
			var n int
			n, err = res.Body.Read(buf)
			total += n
		}
		if err != io.EOF || total < 1<<18 || time.Since(began) < time.Minute {
			t.Errorf("%d bytes after %v: %v", total, time.Since(began), err)
		}
		conn.Close()
		for _, c := range slow {
			c.Close()
		}
	})
}

// pipes is a listener of connections from a channel.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error {
	defer func() { _ = recover() }() // it may be closed twice
	close(p)
	return nil
}
func (pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
