package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// tracer is a hook that numbers requests, and sends its number along with each. It keeps what has ended.
type tracer struct {
	name string

	mu    sync.Mutex
	last  int
	ended []traced
	more  chan struct{}
}

// traced is a request with its name, and that of the request which caused it.
type traced struct {
	observe.Request
	id, parent string
}

type spanKey struct{}

func newTracer(name string) *tracer { return &tracer{name: name, more: make(chan struct{}, 10_000)} }

func (tr *tracer) Begin(ctx context.Context, r *observe.Request) context.Context {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.last++
	one := traced{id: fmt.Sprint(tr.name, tr.last)}
	one.parent, _ = r.Meta["trace"].(string)
	if outer, ok := ctx.Value(spanKey{}).(traced); ok {
		one.parent = outer.id
	}
	if r.Sent {
		r.Meta["trace"] = one.id
	}
	return context.WithValue(ctx, spanKey{}, one)
}

func (tr *tracer) End(ctx context.Context, r *observe.Request) {
	one := ctx.Value(spanKey{}).(traced)
	one.Request = *r
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.ended = append(tr.ended, one)
	tr.more <- struct{}{}
}

func (tr *tracer) forget() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.ended = nil
}

// take returns the first request that pick takes.
func (tr *tracer) take(t *testing.T, pick func(traced) bool) traced {
	t.Helper()
	deadline := time.After(patience)
	for {
		tr.mu.Lock()
		i := slices.IndexFunc(tr.ended, pick)
		var one traced
		if i >= 0 {
			one = tr.ended[i]
			tr.ended = slices.Delete(tr.ended, i, i+1)
		}
		tr.mu.Unlock()
		if i >= 0 {
			return one
		}
		select {
		case <-tr.more:
		case <-deadline:
			t.Fatalf("nothing was told of it; but %+v", tr.ended)
		}
	}
}

// TestObserveChain holds that a call through an aggregator is told at each of its stations, each within the one before,
// and that its connections and lists are told.
func TestObserveChain(t *testing.T) {
	last := registry.New(nil)
	last.Namespace("orders", "Orders.").Add(registry.Func("create", "Create an order.", func(context.Context, struct{}) (string, error) { return "made", nil }))
	own := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
	own.AddTool(&mcp.Tool{Name: "make", Description: "Make.", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "made"}}}, nil
	})
	for _, over := range []string{"memory", "http"} {
		t.Run(over, func(t *testing.T) {
			there, here := newTracer("there"), newTracer("here")
			srv := cash.NewServer(last, &cash.Options{Serve: serve.Options{Observe: there}})
			shop, plain := upstream.Server{Label: "shop", Endpoint: upstream.InMemory{Server: srv}}, memory("own", own)
			if over == "http" {
				web := httptest.NewServer(srv.Handler())
				t.Cleanup(web.Close)
				shop.Endpoint = upstream.HTTP{URL: web.URL}
			}
			_, _, reg := aggregate(t, &upstream.Options{Observe: here}, shop, plain)
			face := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: here}})
			sent := func(method, server string) traced {
				t.Helper()
				return here.take(t, func(r traced) bool { return r.Sent && r.Method == method && r.Server == server })
			}
			if r := sent("server/discover", "shop"); r.Outcome != observe.OK || r.Transport != over || r.parent != "" {
				t.Errorf("%+v", r)
			}
			if r := sent("tools/list", "own"); r.Outcome != observe.OK || r.ResultBytes == 0 || r.Version == "" {
				t.Errorf("%+v", r)
			}
			here.forget() // the pages of help that were read

			ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "ann"})
			res, err := face.Call(ctx, &cash.CallRequest{Namespace: "shop.orders", Function: "create"})
			if err != nil || res.Text() != "made" {
				t.Fatal(res, err)
			}
			outer := here.take(t, func(r traced) bool { return !r.Sent })
			if outer.Function != "shop.orders.create" || outer.Outcome != observe.OK || outer.parent != "" {
				t.Errorf("%+v", outer)
			}
			between := sent("tools/call", "shop")
			if between.parent != outer.id || between.Tool != "call" || between.Function != "shop.orders.create" || between.Outcome != observe.OK ||
				between.Owner != outer.Owner || between.RequestBytes == 0 || between.ResultBytes == 0 || between.Transport != over {
				t.Errorf("%+v", between)
			}
			inner := there.take(t, func(r traced) bool { return r.Function != "" })
			if inner.parent != between.id || inner.Function != "orders.create" || inner.Tool != "call" {
				t.Errorf("%+v", inner)
			}

			if _, err := face.Call(ctx, &cash.CallRequest{Namespace: "own", Function: "make"}); err != nil {
				t.Fatal(err)
			}
			outer = here.take(t, func(r traced) bool { return !r.Sent })
			if r := sent("tools/call", "own"); r.parent != outer.id || r.Tool != "make" || r.Function != "own.make" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestObserveFailures holds that requests that get no proper answer are told with the reason.
func TestObserveFailures(t *testing.T) {
	tr := newTracer("")
	nowhere := upstream.Server{Label: "nowhere", Endpoint: upstream.HTTP{URL: "http://127.0.0.1:1"}}
	aggregate(t, &upstream.Options{Observe: observe.Hooks(nil, tr)}, nowhere)
	tr.take(t, func(r traced) bool { return r.Server == "nowhere" && r.Outcome == "UNAVAILABLE" })
	synctest.Test(t, func(t *testing.T) { // in which the call that hangs is sent in time
		own := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
		hang := make(chan struct{})
		t.Cleanup(func() { close(hang) })
		for name, f := range map[string]func() (*mcp.CallToolResult, error){
			"hang":   func() (*mcp.CallToolResult, error) { <-hang; return nil, context.Canceled },
			"refuse": func() (*mcp.CallToolResult, error) { return nil, fmt.Errorf("no") },
			"fail": func() (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no"}}}, nil
			},
		} {
			own.AddTool(&mcp.Tool{Name: name, Description: "Do.", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return f() })
		}
		tr := newTracer("")
		server := memory("own", own)
		server.Timeout = 300 * time.Millisecond
		srv, _, _ := aggregate(t, &upstream.Options{Observe: observe.Hooks(nil, tr)}, server)
		for function, want := range map[string]string{"hang": "TIMEOUT 0", "refuse": "refused 0", "fail": "FAILED 0"} {
			_, _ = srv.Call(t.Context(), &cash.CallRequest{Namespace: "own", Function: function})
			r := tr.take(t, func(r traced) bool { return r.Tool == function })
			if got := fmt.Sprint(r.Outcome, " ", r.Code); got != want {
				t.Errorf("%s: got %s, want %s", function, got, want)
			}
		}
	})
}

// TestStatusJSON holds that the status can be published as JSON.
func TestStatusJSON(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
	nowhere := upstream.Server{Label: "nowhere", Endpoint: upstream.HTTP{URL: "http://127.0.0.1:1"}}
	_, agg, _ := aggregate(t, nil, memory("own", own), nowhere)
	data, err := json.Marshal(agg.Status())
	var list []map[string]any
	if err != nil || json.Unmarshal(data, &list) != nil || len(list) != 2 {
		t.Fatalf("%v: %s", err, data)
	}
	if down, up := list[0], list[1]; down["State"] != "down" || down["Err"] == "" || up["State"] != "connected" || up["Err"] != nil || up["Kind"] != "plain" {
		t.Errorf("%s", data)
	}
}
