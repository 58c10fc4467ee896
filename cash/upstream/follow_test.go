package upstream_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// asked is a CaSH server that counts what it is asked.
type asked struct {
	*mcp.Server
	namespaces, functions, skills, calls, identities atomic.Int64

	session atomic.Pointer[mcp.ServerSession]
	send    mcp.MethodHandler
}

func newAsked(src registry.Source) *asked {
	c := &asked{Server: mcp.NewServer(&mcp.Implementation{Name: "asked"}, nil)}
	cash.NewServer(src, nil).AddTo(c.Server)
	c.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			c.count(req)
			return next(ctx, method, req)
		}
	})
	c.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		c.send = next
		return next
	})
	return c
}

func (c *asked) count(req mcp.Request) {
	switch r := req.(type) {
	case *mcp.CallToolRequest:
		c.session.Store(r.Session)
		switch function := strings.Contains(string(r.Params.Arguments), `"function"`); {
		case r.Params.Name == "call":
			c.calls.Add(1)
		case r.Params.Name == "skill":
			c.skills.Add(1)
		case function:
			c.functions.Add(1)
		default:
			c.namespaces.Add(1)
		}
	case *mcp.ReadResourceRequest:
		if r.Params.URI == manifest.ResourceURI {
			c.identities.Add(1)
		}
	}
}

// since returns how many pages were read after the last call of since: of namespaces and of
// functions.
func (c *asked) since() (namespaces, functions int64) {
	c.skills.Store(0)
	return c.namespaces.Swap(0), c.functions.Swap(0)
}

// notify sends a notification, to the client that has called last.
func (c *asked) notify(uri string) {
	_, _ = c.send(context.Background(), "notifications/resources/updated", &mcp.ServerRequest[*mcp.ResourceUpdatedNotificationParams]{
		Session: c.session.Load(), Params: &mcp.ResourceUpdatedNotificationParams{URI: uri},
	})
}

// stocked is a registry with a namespace of n functions.
func stocked(n int) *registry.Registry {
	reg := registry.New(nil)
	for i := range n {
		put(reg, fmt.Sprint("f", i))
	}
	reg.Namespace("other", "Another.").Add(registry.Func("only", "Only.", nothing))
	return reg
}

func nothing(context.Context, struct{}) (string, error) { return "done", nil }

func put(reg *registry.Registry, name string) {
	reg.Namespace("stock", "A stock.").Add(registry.Func(name, "Do "+name+".", nothing))
}

// unannounced returns a source that does not say when it changes.
func unannounced(reg *registry.Registry) registry.Source { return struct{ registry.Source }{reg} }

// TestRevisionSavesReading holds that a server that has not changed is not read again, and that one
// that has is read in part. What is pinned is compared as a whole.
func TestRevisionSavesReading(t *testing.T) {
	for name, pinned := range map[string]bool{"unpinned": false, "pinned": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reg := stocked(100)
				c := newAsked(reg)
				s := memory("shop", c)
				s.Refresh = time.Hour
				var opts *upstream.Options
				if pinned {
					opts = &upstream.Options{Pins: pin.NewMemory(), Mode: pin.FirstUse}
				}
				srv, agg, _ := aggregate(t, opts, s)
				c.since()
				time.Sleep(10*time.Hour + time.Minute)
				namespaces, functions := c.since()
				if want := map[bool]int64{true: 1010}[pinned]; functions != want || namespaces > want {
					t.Errorf("nothing has changed, and %d pages of namespaces and %d of functions are read", namespaces, functions)
				}
				if n := c.identities.Load(); n < 60 || n > 100 { // every ten minutes, and with each read
					t.Errorf("its identity is read %d times", n)
				}
				put(reg, "added")
				time.Sleep(time.Second)
				namespaces, functions = c.since()
				if want := map[bool]int64{false: 1, true: 102}[pinned]; functions != want || namespaces > 5 {
					t.Errorf("after one change, %d pages of namespaces and %d of functions are read, want %d", namespaces, functions, want)
				}
				if pinned { // first use was before
					return
				}
				client := cashtest.Connect(t, srv)
				client.Call("shop.stock", "added", nil).OK()
				if got := client.Help("shop.stock", "f7").OK().Text; !strings.Contains(got, "Do f7.") {
					t.Errorf("the page reads %s", got)
				}
				c.since()
				if err := agg.Refresh(t.Context(), "shop"); err != nil {
					t.Fatal(err)
				}
				if namespaces, _ := c.since(); namespaces == 0 {
					t.Error("a refresh that was asked for reads nothing")
				}
			})
		})
	}
}

// TestUnknownNames holds what a name does that the tree of a server does not have: for a caller who
// is known, the server is read again, once in five seconds, whether the name is absent or hidden.
// Nobody waits.
func TestUnknownNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, secret := stocked(3), stocked(3)
		c, hidden := newAsked(unannounced(inner)), newAsked(unannounced(secret))
		s, h := memory("shop", c), memory("vault", hidden)
		s.Refresh, h.Refresh, h.VisibleTo = -1, -1, registry.Roles("admin")
		srv := serving(t, s, h)
		dial := func(caller *registry.Caller) *cashtest.Client {
			return (&cashtest.Dialer{Context: registry.WithCaller(context.Background(), caller)}).Connect(t, srv)
		}
		nobody, bob := dial(nil), dial(&registry.Caller{ID: "bob"})
		ask := func(c *cashtest.Client, namespace, function string) {
			t.Helper()
			began := time.Now()
			if r := c.Call(namespace, function, nil); !r.IsError || !strings.Contains(r.Text, "**Error:** No ") {
				t.Errorf("the call of %s.%s is answered with %q", namespace, function, r.Text)
			}
			if r := c.Help(namespace, function); !r.IsError {
				t.Errorf("help of %s.%s is answered with %q", namespace, function, r.Text)
			}
			if waited := time.Since(began); waited != 0 {
				t.Errorf("%s.%s is refused after %v", namespace, function, waited)
			}
		}
		reads := func(what string, want int64) {
			t.Helper()
			time.Sleep(time.Second)
			got, _ := c.since()
			if got = got / 4; got != want { // the root twice, and two namespaces
				t.Errorf("%s: the server is read %d times, want %d", what, got, want)
			}
			if got, _ := hidden.since(); got != 0 {
				t.Errorf("%s: the hidden server is asked %d times", what, got)
			}
		}
		c.since()
		hidden.since()
		put(inner, "fresh")
		ask(nobody, "shop.stock", "fresh")
		reads("an anonymous caller", 0)
		ask(bob, "absent", "fresh")
		ask(bob, "vault", "fresh")
		ask(bob, "vault.stock", "f1")
		reads("names of no server", 0)
		// Only one question: what it begins to read may be there for the next.
		if r := bob.Call("shop.stock", "fresh", nil); !r.IsError || !strings.Contains(r.Text, "**Error:** No ") {
			t.Errorf("the first call of what is new is answered with %q", r.Text)
		}
		reads("a caller", 1)
		bob.Call("shop.stock", "fresh", nil).OK()
		for range 100 {
			ask(bob, "shop.stock", "absent")
			ask(bob, "shop.absent", "f1")
		}
		reads("too soon", 0)
		time.Sleep(5 * time.Second)
		for range 100 {
			ask(bob, "shop.stock", "absent")
			ask(bob, "shop.absent", "f1")
		}
		reads("later", 1)
		time.Sleep(5 * time.Second)

		if err := inner.Replace("stock", nil); err != nil { // without a word
			t.Fatal(err)
		}
		if r := nobody.Call("shop.stock", "f1", nil); !r.IsError || !strings.Contains(r.Text, "No ") {
			t.Errorf("the call of a removed function is answered with %q", r.Text)
		}
		time.Sleep(time.Second)
		if r := nobody.Help("shop.stock", ""); !r.IsError {
			t.Errorf("the tree still has\n%s", r.Text)
		}
	})
}

// TestIdleServerIsSought holds that an unknown name wakes a server whose connection is closed.
func TestIdleServerIsSought(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := stocked(3)
		s := memory("shop", newAsked(inner))
		s.Idle, s.Refresh = time.Minute, -1
		srv := serving(t, s)
		c := (&cashtest.Dialer{Context: registry.WithCaller(context.Background(), &registry.Caller{ID: "bob"})}).Connect(t, srv)
		time.Sleep(time.Hour)
		put(inner, "fresh")
		time.Sleep(time.Minute)
		if r := c.Call("shop.stock", "fresh", nil); !r.IsError {
			t.Error("a server without a connection is read")
		}
		time.Sleep(time.Second)
		c.Call("shop.stock", "fresh", nil).OK()
	})
}

// TestFloodOfUpdates holds that a server that says all the time that it has changed is read at a
// bounded rate, that other resources do not count, and that a real change is still seen.
func TestFloodOfUpdates(t *testing.T) {
	for uri, most := range map[string]int64{manifest.ResourceURI: 45, "cash://server/x": 0, "file:///x": 0} {
		t.Run(uri, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := stocked(3)
				c := newAsked(inner)
				srv := serving(t, memory("shop", c))
				var flood sync.WaitGroup
				ctx, stop := context.WithCancel(t.Context())
				defer flood.Wait()
				defer stop()
				flood.Go(func() {
					for ctx.Err() == nil {
						for range 4 {
							c.notify(uri)
						}
						time.Sleep(50 * time.Millisecond)
					}
				})
				c.since()
				c.identities.Store(0)
				time.Sleep(time.Minute)
				if n, _ := c.since(); n != 0 {
					t.Errorf("%d pages are read of a server that has not changed", n)
				}
				if n := c.identities.Load(); n > most {
					t.Errorf("its identity is read %d times in a minute, want at most %d", n, most)
				}
				put(inner, "fresh")
				time.Sleep(3 * time.Second)
				cashtest.Connect(t, srv).Call("shop.stock", "fresh", nil).OK()
			})
		})
	}
}

// TestRestless holds that a server that changes all the time is read at a bounded rate.
func TestRestless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := stocked(3)
		c := newAsked(inner)
		serving(t, memory("shop", c))
		c.since()
		for i := range 2000 { // for 20 seconds
			put(inner, fmt.Sprint("g", i%50, "x", i))
			if i%50 == 49 {
				if err := inner.Replace("stock", nil); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n, _ := c.since(); n/4 > 20*5 || n/4 < 20 {
			t.Errorf("the server is read %d times in 20 seconds", n/4)
		}
	})
}

// TestLoopIsQuiet holds that two aggregators that mount each other do not tell each other of changes
// for ever.
func TestLoopIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		regs := [2]*registry.Registry{stocked(2), stocked(2)}
		var servers [2]*asked
		for i, reg := range regs {
			servers[i] = newAsked(reg)
		}
		for i, reg := range regs {
			agg := upstream.New(reg, nil)
			s := memory("peer", servers[1-i])
			s.Refresh = -1
			if err := agg.Add(s); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = agg.Close(context.Background()) })
			if err := agg.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		servers[0].since()
		servers[1].since()
		put(regs[0], "fresh")
		time.Sleep(time.Hour)
		a, _ := servers[0].since()
		b, _ := servers[1].since()
		if a == 0 || a > 10 || b > 10 {
			t.Errorf("after one change, %d and %d pages are read", a, b)
		}
		cashtest.Connect(t, servers[1]).Call("peer.stock", "fresh", nil).OK()
	})
}

// TestOddIdentity holds that what a server says of itself may be anything.
func TestOddIdentity(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "{", "twice": `{"revision":"a","revision":"b"}`, "number": `{"revision":7}`, "none": `{}`, "deep": strings.Repeat("[", 100_000),
		"long": `{"revision":"` + strings.Repeat("x", 129) + `"}`, "list": `[{"revision":"a"}]`, "same": `{"revision":"a"}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := stocked(3)
				c := newAsked(inner)
				c.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
					return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
						if method == "resources/read" {
							return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: manifest.ResourceURI, Text: text}}}, nil
						}
						return next(ctx, method, req)
					}
				})
				serving(t, memory("shop", c))
				c.since()
				put(inner, "fresh")
				time.Sleep(time.Minute)
				if n, _ := c.since(); (n == 0) != (name == "same") {
					t.Errorf("%d pages are read", n)
				}
			})
		})
	}
}

// TestSessionEndedThere holds that a server that has ended the session is connected to again,
// although nobody calls.
func TestSessionEndedThere(t *testing.T) {
	inner := stocked(3)
	options := &cash.Options{Serve: serve.Options{HTTP: serve.SessionsOnly, SessionTimeout: 50 * time.Millisecond}}
	ts := httptest.NewServer(cash.NewServer(inner, options).Handler())
	t.Cleanup(ts.Close)
	srv := serving(t, upstream.Server{Label: "shop", Endpoint: upstream.HTTP{URL: ts.URL}, Refresh: time.Second})
	time.Sleep(200 * time.Millisecond) // the server's own timer
	put(inner, "fresh")
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		page, err := srv.Help(t.Context(), &cash.HelpRequest{Namespace: "shop.stock"})
		if err == nil && strings.Contains(page, "fresh") {
			return
		}
		if time.Since(began) > patience {
			t.Fatalf("%v later, help says\n%s (%v)", patience, page, err)
		}
	}
}
