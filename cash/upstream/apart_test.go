package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/registry"
)

type running func(context.Context, mcp.Transport) error

func (f running) Run(ctx context.Context, tr mcp.Transport) error { return f(ctx, tr) }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Code of the embedder that panics, or ends its goroutine, while a server is dialled
// costs that server, and no other.
func TestDialledCodePanics(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("the secret") }, "exit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			client := &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) { end(); return nil, nil })}
			fine := mcp.NewServer(&mcp.Implementation{Name: "fine"}, nil)
			addTool(fine, "run", saying("done"))
			_, agg, reg := aggregate(t, nil,
				upstream.Server{Label: "client", Endpoint: upstream.HTTP{URL: "http://127.0.0.1:1/mcp", Client: client}, ConnectTimeout: 5 * time.Second},
				upstream.Server{Label: "server", Endpoint: upstream.InMemory{Server: running(func(context.Context, mcp.Transport) error { end(); return nil })}, ConnectTimeout: 5 * time.Second},
				memory("fine", fine))
			for _, st := range agg.Status() {
				if st.Labels[0] == "fine" {
					continue
				}
				if st.State != upstream.Down || st.Err == nil || strings.Contains(st.Err.Error(), "secret") {
					t.Errorf("%s is %v: %v", st.Labels[0], st.State, st.Err)
				}
				var e *upstream.CallError
				if crash := (*apart.Crash)(nil); errors.As(st.Err, &crash) && (!errors.As(st.Err, &e) || e.Class != upstream.Unreachable || e.Sent) {
					t.Errorf("%s: %+v", st.Labels[0], e)
				}
			}
			if f, err := reg.Function(t.Context(), "fine", "run"); f == nil || err != nil {
				t.Errorf("the other server has %v, %v", f, err)
			}
		})
	}
}

// watched is a store of which nobody can notice changes, until it is mended.
type watched struct {
	pin.Store
	fails chan func() error
}

func (w watched) Watch(ctx context.Context, changed func(string)) error {
	select {
	case f := <-w.fails:
		return f()
	default:
		return w.Store.Watch(ctx, changed)
	}
}

// odd is a store whose code runs ill first, while ill is set.
type odd struct {
	pin.Store
	ill atomic.Pointer[func()]
}

func (o *odd) run() {
	if ill := o.ill.Load(); ill != nil {
		(*ill)()
	}
}

func (o *odd) Load(ctx context.Context, label string) (pin.Pins, error) {
	o.run()
	return o.Store.Load(ctx, label)
}

func (o *odd) Swap(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
	o.run()
	return o.Store.Swap(ctx, label, revision, definitions)
}

// A store of pins that panics or hangs costs the servers that are pinned in it, until it is well again.
func TestPinStoreFails(t *testing.T) {
	for name, ill := range map[string]func(){"panics": func() { panic("the secret") }, "exits": runtime.Goexit, "hangs": func() { select {} }} {
		t.Run(name, func(t *testing.T) {
			store := &odd{Store: pin.NewMemory()}
			store.ill.Store(&ill)
			s := memory("shop", newStore(usual()).srv)
			s.ConnectTimeout = time.Second
			_, agg, reg := aggregate(t, &upstream.Options{Pins: store, Mode: pin.FirstUse}, s)
			if st := agg.Status()[0]; st.State != upstream.Down || st.Err == nil || strings.Contains(st.Err.Error(), "secret") {
				t.Errorf("it is %v: %v", st.State, st.Err)
			}
			store.ill.Store(nil)
			if err := agg.Refresh(t.Context(), "shop"); err != nil {
				t.Fatal(err)
			}
			if f, err := reg.Function(t.Context(), "shop.orders.retail", "get"); f == nil || err != nil {
				t.Errorf("the server has %v, %v", f, err)
			}
		})
	}
}

// What is accepted by one process is served by another soon after, even if the
// store could not be watched for a while.
func TestW37AcceptedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(usual())
		store := watched{pin.NewMemory(), make(chan func() error, 2)}
		store.fails <- func() error { return errors.New("no notices today") }
		store.fails <- func() error { panic("the secret") }
		mine := operate(t, store, pin.FirstUse, s.srv)
		theirs := operate(t, store, pin.FirstUse, s.srv)
		items := usual()
		items["create"] = item{"retail", "Create twice.", idSchema, false}
		s.stock(items)
		mine.refresh()
		theirs.refresh()
		mine.wantQuarantined("changed orders.retail.create")
		time.Sleep(5 * time.Minute) // until it is watched
		theirs.accept("orders.retail.create")
		time.Sleep(time.Second)
		mine.wantQuarantined()
		mine.wantServed(true, "shop.orders.retail", "create")
	})
}

// A caller that panics over the progress of its call harms nobody.
func TestProgressThatPanics(t *testing.T) {
	up := mcp.NewServer(&mcp.Implementation{Name: "up"}, nil)
	addTool(up, "run", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for n := range 3 {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(n + 1)})
		}
		return text("done"), nil
	})
	_, _, reg := aggregate(t, nil, memory("a", up))
	told := 0
	res, err := registry.NewPipeline(reg, nil).Call(t.Context(), &registry.Request{Namespace: "a", Function: "run",
		Progress: func(context.Context, registry.Progress) error { told++; panic("no progress") }})
	if err != nil || res.Text() != "done" || told != 3 {
		t.Errorf("%v, %v after %d reports", res, err, told)
	}
}
