package serve_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// failing is a face that says that it changes, until it panics.
type failing struct {
	greeters
	changed chan struct{}
	asked   atomic.Int32 // several clients may be looked at at a time
}

func (f *failing) Changed() <-chan struct{} {
	if f.asked.Add(1) > 2 {
		panic("changed")
	}
	return f.changed
}

// TestChangedThatPanics holds that a face that panics goes on being served.
func TestChangedThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		face := &failing{greeters: 3, changed: make(chan struct{})}
		srv := serve.New(face, &mcp.Implementation{Name: "failing"}, nil)
		c := (&cashtest.Dialer{Version: "2025-11-25"}).Connect(t, srv)
		c.Tools()
		close(face.changed)
		time.Sleep(time.Minute)
		if n := len(c.Tools()); n != 3 || face.asked.Load() < 3 {
			t.Errorf("%d tools, asked %d times", n, face.asked.Load())
		}
	})
}

// lost needs something in the context of a request to list its tools.
type lost struct{ *failing }

type wanted struct{}

func (l lost) Add(srv *mcp.Server, host *serve.Host) {
	host.AddListed(srv, &serve.Listed{Call: l.call, List: func(ctx context.Context, req *mcp.ListToolsRequest) (serve.ToolList, error) {
		if ctx.Value(wanted{}) == nil {
			<-ctx.Done()
			panic("lost")
		}
		return l.list(ctx, req)
	}})
}

// TestLookThatFails holds that tools are listed although they cannot be looked at
// later.
func TestLookThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		face := lost{&failing{greeters: 3, changed: make(chan struct{})}}
		srv := serve.New(face, &mcp.Implementation{Name: "lost"}, nil)
		c := (&cashtest.Dialer{Version: "2025-11-25", Context: context.WithValue(t.Context(), wanted{}, true)}).Connect(t, srv)
		if n := len(c.Tools()); n != 3 {
			t.Errorf("%d tools", n)
		}
	})
}

// two is a face with two lists.
type two struct{ first, second *listing }

// listing is a list of one tool, or none.
type listing struct {
	name string
	gone atomic.Bool
}

func (two) Instructions(context.Context) string { return "" }

func (f two) Add(srv *mcp.Server, host *serve.Host) {
	for _, l := range []*listing{f.first, f.second} {
		host.AddListed(srv, &serve.Listed{List: l.list, Call: greeters(0).call})
	}
}

func (l *listing) list(context.Context, *mcp.ListToolsRequest) (serve.ToolList, error) {
	if l.gone.Load() {
		return serve.ToolList{}, nil
	}
	return serve.ToolList{Names: []string{l.name}, Tool: func(int) *mcp.Tool {
		return &mcp.Tool{Name: l.name, InputSchema: json.RawMessage(`{"type":"object"}`)}
	}}, nil
}

// often changes every second, as far as it says.
type often struct{ two }

func (often) Changed() <-chan struct{} {
	c := make(chan struct{})
	time.AfterFunc(time.Second, func() { close(c) })
	return c
}

// TestTwoLists holds that changes of each list of a face are told.
func TestTwoLists(t *testing.T) {
	for _, version := range generations {
		for i := range 2 {
			synctest.Test(t, func(t *testing.T) {
				face := often{two{&listing{name: "a"}, &listing{name: "b"}}}
				var told atomic.Int64
				c := (&cashtest.Dialer{Version: version, Client: &mcp.ClientOptions{
					ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told.Add(1) },
				}}).Connect(t, serve.New(face, &mcp.Implementation{Name: "two"}, nil))
				if n := len(c.Tools()); n != 2 {
					t.Fatalf("%d tools", n)
				}
				time.Sleep(time.Minute)
				if told.Load() != 0 {
					t.Errorf("%s: told of nothing", version)
				}
				[]*listing{face.first, face.second}[i].gone.Store(true)
				time.Sleep(time.Minute)
				if n := told.Load(); n != 1 {
					t.Errorf("%s, list %d: told %d times", version, i, n)
				}
			})
		}
	}
}
