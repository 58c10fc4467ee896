package plain_test

import (
	"context"
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

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

func answer(context.Context, none) (string, error) { return "", nil }

// listening are the options of a client that wants to be told when tools change.
func listening() (*mcp.ClientOptions, chan struct{}) {
	told := make(chan struct{}, 100)
	return &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }}, told
}

// subscribed connects a client that is told when tools change, and returns when
// that is so: from 2026-07-28 on it has to ask for it, and is told that it will be.
func subscribed(t *testing.T, l cashtest.Link, srv *plain.Server) (*mcp.ClientSession, chan struct{}) {
	t.Helper()
	opts, told := listening()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	acknowledged := make(chan struct{})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				close(acknowledged)
			}
			return next(ctx, method, req)
		}
	})
	transport := new(cashtest.Dialer).InMemory(srv)
	if l.HTTP {
		web := httptest.NewServer(srv.Handler())
		t.Cleanup(web.Close)
		transport = &mcp.StreamableClientTransport{Endpoint: web.URL}
	}
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: l.Version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if l.Version == links[1].Version {
		<-acknowledged
	}
	return session, told
}

// TestListChanged holds that clients are told when their tools are others, over
// every link, as often as there is something new for them.
func TestListChanged(t *testing.T) {
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			reg := registry.New(nil)
			ns := reg.Namespace("n", "")
			ns.Add(registry.Func("first", "", answer))
			session, told := subscribed(t, l, plain.NewServer(reg, nil))
			if caps := session.InitializeResult().Capabilities; caps.Tools == nil || !caps.Tools.ListChanged {
				t.Fatalf("capabilities %s", toJSON(caps))
			}
			for i, change := range []func(){
				func() { ns.Add(registry.Func("second", "", answer)) },
				func() { ns.Restrict(registry.Roles("nobody")) },
				func() { ns.Restrict(nil) },
			} {
				if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != []int{1, 2, 0}[i] {
					t.Fatal(toJSON(list), err)
				}
				change()
				<-told
			}
		})
	}
}

// TestListChangedOfOthers holds that nobody notices what changes for others, nor
// what changes nothing, and that a burst is told once.
func TestListChangedOfOthers(t *testing.T) {
	for _, l := range links[:2] {
		t.Run(l.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reg := registry.New(nil)
				open, hidden := reg.Namespace("open", ""), reg.Namespace("hidden", "", registry.VisibleTo(registry.Roles("boss")))
				open.Add(registry.Func("f", "", answer))
				srv := plain.NewServer(reg, nil)
				eve, toldEve := listening()
				max, toldMax := listening()
				a, b := l.Connect(t, srv, named("eve"), eve), l.Connect(t, srv, named("max", "boss"), max)
				expect := func(what string, forEve, forMax int) {
					t.Helper()
					time.Sleep(time.Minute) // in a bubble: until nothing happens any more
					if len(toldEve) != forEve || len(toldMax) != forMax {
						t.Errorf("%s: eve was told %d times, max %d times; want %d and %d", what, len(toldEve), len(toldMax), forEve, forMax)
					}
					for len(toldEve) > 0 {
						<-toldEve
					}
					for len(toldMax) > 0 {
						<-toldMax
					}
					a.Tools()
					b.Tools()
				}
				expect("nothing", 0, 0)
				hidden.Add(registry.Func("g", "", answer))
				expect("a hidden function", 0, 1)
				open.AddSkill(registry.NewSkill("s", "D.", "T."))
				expect("a skill", 0, 0)
				for _, name := range []string{"h", "i", "j"} {
					open.Add(registry.Func(name, "", answer))
					time.Sleep(time.Millisecond)
				}
				expect("a burst", 1, 1)
				hidden.Unavailable(&registry.Error{Kind: registry.Unavailable})
				expect("no tool", 0, 0)
			})
		})
	}
}

// TestListChangedOnce holds that a client with a session is told once until it
// lists the tools again, and not at all before it has done so.
func TestListChangedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		ns := reg.Namespace("n", "")
		opts, told := listening()
		c := links[0].Connect(t, plain.NewServer(reg, nil), nil, opts)
		ns.Add(registry.Func("a", "", answer))
		time.Sleep(time.Minute)
		if len(told) != 0 {
			t.Error("told before it has listed anything")
		}
		c.Tools()
		for _, name := range []string{"b", "c", "d"} {
			ns.Add(registry.Func(name, "", answer))
			time.Sleep(time.Minute)
		}
		if len(told) != 1 {
			t.Errorf("told %d times", len(told))
		}
	})
}

// TestListChangedEnds holds that whoever has gone costs nothing, and that a
// server stops although clients listen.
func TestListChangedEnds(t *testing.T) {
	reg := registry.New(nil)
	ns := reg.Namespace("n", "")
	srv := plain.NewServer(reg, nil)
	before := runtime.NumGoroutine()
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			for range 20 {
				opts, _ := listening()
				l.Connect(t, srv, nil, opts).Tools()
			}
		})
	}
	http.DefaultClient.CloseIdleConnections()
	ns.Add(registry.Func("f", "", answer))
	for runtime.NumGoroutine() > before { // the test's deadline is the limit
		runtime.Gosched()
	}
}

// TestListChangedShutdown holds that a subscription does not hold up a shutdown.
func TestListChangedShutdown(t *testing.T) {
	srv := plain.NewServer(newShop().Registry, nil)
	opts, _ := listening()
	links[3].Connect(t, srv, nil, opts)
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestListChangedHanging holds that a rule of visibility that hangs or panics
// keeps nobody from being told but those it decides about.
func TestListChangedHanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		armed, released := make(chan struct{}), make(chan struct{})
		var hung atomic.Int64
		defer close(released)
		reg.Namespace("bad", "", registry.VisibleTo(func(_ context.Context, c *registry.Caller) bool {
			select {
			case <-armed:
				if strings.HasPrefix(c.ID, "hang") {
					hung.Add(1)
					<-released
				}
				if strings.HasPrefix(c.ID, "panic") {
					panic("no")
				}
			default:
			}
			return false
		})).Add(registry.Func("f", "", answer))
		srv := plain.NewServer(reg, nil)
		var all []chan struct{}
		for _, id := range []string{"hang", "panic", "good"} {
			opts, told := listening()
			(&cashtest.Dialer{Version: "2025-11-25", Client: opts, Context: registry.WithCaller(t.Context(), named(id))}).Connect(t, srv).Tools()
			all = append(all, told)
		}
		close(armed)
		ns := reg.Namespace("new", "")
		for _, name := range []string{"f", "g", "h"} {
			ns.Add(registry.Func(name, "", answer))
			time.Sleep(time.Minute)
		}
		if len(all[2]) != 1 {
			t.Errorf("told %d times", len(all[2]))
		}
		if n := hung.Load(); n != 1 {
			t.Errorf("%d goroutines hang", n)
		}
	})
}

// TestListChangedUnread holds that a client that does not read what it is sent
// keeps nobody else from being told.
func TestListChangedUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		ns := reg.Namespace("n", "")
		srv := plain.NewServer(reg, nil)
		deaf, err := new(cashtest.Dialer).InMemory(srv).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"deaf","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`,
		} {
			m, err := jsonrpc.DecodeMessage([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := deaf.Write(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(text, `"id"`) {
				if _, err := deaf.Read(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		opts, told := listening()
		c := links[0].Connect(t, srv, nil, opts)
		for i, name := range []string{"a", "b", "c"} {
			c.Tools()
			ns.Add(registry.Func(name, "", answer))
			time.Sleep(time.Minute)
			if len(told) != i+1 {
				t.Errorf("told %d times of %d changes", len(told), i+1)
			}
		}
		if err := deaf.Close(); err != nil {
			t.Error(err)
		}
	})
}
