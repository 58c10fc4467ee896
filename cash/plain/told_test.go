package plain_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestListChangedFaces holds that the faces of one server tell of their own tools.
func TestListChangedFaces(t *testing.T) {
	for _, l := range links[:2] {
		for _, own := range []bool{false, true} {
			t.Run(l.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					srv := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
					if own {
						mcp.AddTool(srv, &mcp.Tool{Name: "own"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
							return &mcp.CallToolResult{}, nil, nil
						})
					}
					a, b := registry.New(nil), registry.New(nil)
					plain.NewServer(a, nil).AddTo(srv)
					plain.NewServer(b, nil).AddTo(srv)
					opts, told := listening()
					c := (&cashtest.Dialer{Version: l.Version, Client: opts}).Connect(t, srv)
					for i, reg := range []*registry.Registry{a, b} {
						c.Tools()
						time.Sleep(time.Minute)
						reg.Namespace("n", "").Add(registry.Func("f", "", answer))
						time.Sleep(time.Minute)
						if len(told) != i+1 {
							t.Errorf("face %d: told %d times", i, len(told))
						}
					}
				})
			})
		}
	}
}

// midway is a source that does something when it has been listed n times more.
type midway struct {
	*registry.Registry
	n  atomic.Int64
	do func()
}

func (m *midway) List(ctx context.Context, path string) (*registry.Listing, error) {
	defer func() {
		if m.n.Add(-1) == 0 {
			m.do()
		}
	}()
	return m.Registry.List(ctx, path)
}

// TestListChangedMeanwhile holds that no change is missed, whenever it comes while
// a client lists or subscribes.
func TestListChangedMeanwhile(t *testing.T) {
	for _, l := range links[:2] {
		t.Run(l.String(), func(t *testing.T) {
			for n := int64(1); n < 10; n++ { // more often than a client makes it be listed
				for _, slow := range []time.Duration{0, 3 * time.Second} {
					synctest.Test(t, func(t *testing.T) {
						reg := registry.New(nil)
						ns := reg.Namespace("n", "")
						ns.Add(registry.Func("first", "", answer))
						src := &midway{Registry: reg, do: func() {
							ns.Add(registry.Func("second", "", answer))
							time.Sleep(slow)
						}}
						srv := plain.NewServer(src, nil)
						other, _ := listening()
						l.Connect(t, srv, nil, other).Tools() // so that changes are looked after already
						time.Sleep(time.Minute)
						src.n.Store(n)
						opts, told := listening()
						c := l.Connect(t, srv, nil, opts)
						time.Sleep(time.Minute) // until it has subscribed, which is asked for by the way
						seen := len(c.Tools())
						time.Sleep(time.Minute)
						if src.n.Load() <= 0 && seen == 1 && len(told) == 0 {
							t.Errorf("change at list %d, slow %v: saw %d tools and was told %d times", n, slow, seen, len(told))
						}
					})
				}
			}
		})
	}
}

// through is a server of the embedder's own with the functions of a registry, of
// which all notifications of changed tools go through f.
func through(reg *registry.Registry, f func() error) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	srv.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "notifications/tools/list_changed" {
				if err := f(); err != nil {
					return nil, err
				}
			}
			return next(ctx, method, req)
		}
	})
	plain.NewServer(reg, nil).AddTo(srv)
	return srv
}

// TestListChangedPanic holds that a middleware of the embedder's that panics
// ends nothing.
func TestListChangedPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		panics := 0
		srv := through(reg, func() error { panics++; panic("no") })
		c := (&cashtest.Dialer{Version: "2025-11-25"}).Connect(t, srv)
		c.Tools()
		reg.Namespace("n", "").Add(registry.Func("f", "", answer))
		time.Sleep(time.Minute)
		if n := len(c.Tools()); n != 1 || panics == 0 {
			t.Errorf("%d tools, %d panics", n, panics)
		}
	})
}

// TestListChangedUndelivered holds that a client that cannot be reached for a
// moment is told later.
func TestListChangedUndelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		var fail atomic.Int64
		srv := through(reg, func() error {
			if fail.Add(-1) >= 0 {
				return errors.New("no stream")
			}
			return nil
		})
		opts, told := listening()
		c := (&cashtest.Dialer{Version: "2025-11-25", Client: opts}).Connect(t, srv)
		c.Tools()
		fail.Store(2)
		reg.Namespace("n", "").Add(registry.Func("f", "", answer))
		time.Sleep(time.Minute)
		if len(told) != 1 {
			t.Errorf("told %d times", len(told))
		}
		c.Tools()
		fail.Store(1000)
		reg.Namespace("n", "").Add(registry.Func("g", "", answer))
		time.Sleep(time.Hour)
		if n := 1000 - fail.Load(); n > 10 {
			t.Errorf("%d tries", n)
		}
		fail.Store(0)
		reg.Namespace("n", "").Add(registry.Func("h", "", answer))
		time.Sleep(time.Minute)
		if len(told) != 2 {
			t.Errorf("told %d times", len(told))
		}
	})
}

// TestListChangedBusy holds that a registry that changes all the time leaves half
// of the time to others, however long it takes to look at the tools of a client.
func TestListChangedBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		var armed atomic.Bool
		var busy atomic.Int64
		hidden := reg.Namespace("hidden", "", registry.VisibleTo(func(context.Context, *registry.Caller) bool {
			if armed.Load() {
				time.Sleep(2 * time.Second)
				busy.Add(2)
			}
			return false
		}))
		(&cashtest.Dialer{Version: "2025-11-25"}).Connect(t, plain.NewServer(reg, nil)).Tools()
		armed.Store(true)
		for range 600 {
			time.Sleep(100 * time.Millisecond)
			hidden.Note("A change.")
		}
		armed.Store(false)
		time.Sleep(time.Minute)
		if n := busy.Load(); n > 30 || n == 0 {
			t.Errorf("busy for %d seconds of 60", n)
		}
	})
}

// TestListChangedGone holds that nobody goes on trying to tell a client that has
// gone.
func TestListChangedGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails if something is left at the end
		reg := registry.New(nil)
		tries := 0
		srv := through(reg, func() error { tries++; return errors.New("no stream") })
		c := (&cashtest.Dialer{Version: "2025-11-25"}).Connect(t, srv)
		c.Tools()
		reg.Namespace("n", "").Add(registry.Func("f", "", answer))
		time.Sleep(500 * time.Millisecond)
		if err := c.Session.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if tries != 1 {
			t.Errorf("%d tries", tries)
		}
	})
}
