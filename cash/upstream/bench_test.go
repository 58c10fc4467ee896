package upstream_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// order is a result of the size that calls usually have.
const order = `{"order_id":"ORD-1091","status":"confirmed","items":[{"product_id":"P-7","quantity":3,"unit_price":12.5}],"total":37.5}`

// BenchmarkHop is what one hop through an aggregator costs: the same call of the
// same server, directly and by way of call of the aggregator, in turns. The ratio
// of the medians is reported as x-direct.
func BenchmarkHop(b *testing.B) {
	for _, bench := range []struct {
		name string
		dial func(b *testing.B, srv *mcp.Server) (direct mcp.Transport, e upstream.Endpoint)
	}{
		{"memory", func(b *testing.B, srv *mcp.Server) (mcp.Transport, upstream.Endpoint) {
			return inMemory(b, srv), upstream.InMemory{Server: srv}
		}},
		{"http", func(b *testing.B, srv *mcp.Server) (mcp.Transport, upstream.Endpoint) {
			ts := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil))
			b.Cleanup(ts.Close)
			return &mcp.StreamableClientTransport{Endpoint: ts.URL}, upstream.HTTP{URL: ts.URL}
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			srv := tools(map[string]mcp.ToolHandler{"get": saying(order)})
			transport, endpoint := bench.dial(b, srv)
			direct := connect(b, transport)
			agg := serving(b, upstream.Server{Label: "shop", Endpoint: endpoint})
			hop := connect(b, inMemory(b, agg))
			calls := [2]func() error{
				func() error {
					_, err := direct.CallTool(b.Context(), &mcp.CallToolParams{Name: "get", Arguments: json.RawMessage(`{"order_id":"ORD-1091"}`)})
					return err
				},
				func() error {
					_, err := hop.CallTool(b.Context(), &mcp.CallToolParams{Name: "call",
						Arguments: json.RawMessage(`{"namespace":"shop","function":"get","kwargs":{"order_id":"ORD-1091"}}`)})
					return err
				},
			}
			var took [2][]time.Duration
			for b.Loop() {
				for i, call := range calls {
					began := time.Now()
					if err := call(); err != nil {
						b.Fatal(err)
					}
					took[i] = append(took[i], time.Since(began))
				}
			}
			d, h := at(took[0], 50), at(took[1], 50)
			b.ReportMetric(float64(d.Microseconds()), "us-direct")
			b.ReportMetric(float64(h.Microseconds()), "us-hop")
			b.ReportMetric(float64(h)/float64(d), "x-direct")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func inMemory(b testing.TB, srv interface {
	Run(context.Context, mcp.Transport) error
}) mcp.Transport {
	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	go func() { _ = srv.Run(ctx, theirs) }()
	return ours
}

func connect(b testing.TB, t mcp.Transport) *mcp.ClientSession {
	b.Helper()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).Connect(b.Context(), t, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cs.Close() })
	return cs
}

// at returns a percentile.
func at(took []time.Duration, percent int) time.Duration {
	slices.Sort(took)
	return took[(len(took)-1)*percent/100]
}

// BenchmarkHealthy is what 17 healthy upstreams notice of 3 bad ones: calls of
// the healthy ones, in an aggregator with and in one without the bad ones, in
// turns. One of them refuses connections, one hangs, one cuts off every call;
// all three are called all the time. The ratio of the 99th percentiles is
// reported as x-without.
func BenchmarkHealthy(b *testing.B) {
	newServer := func(bad bool) *cash.Server {
		reg := registry.New(nil)
		agg := upstream.New(reg, nil)
		b.Cleanup(func() { agg.Close(context.Background()) })
		for i := range 20 {
			var srv runner = tools(map[string]mcp.ToolHandler{"get": saying(order)})
			if i < 3 && !bad {
				continue
			}
			s := upstream.Server{Label: label(i), Endpoint: upstream.InMemory{Server: srv}, Timeout: time.Second, ConnectTimeout: time.Second}
			switch i {
			case 0:
				s.Endpoint = upstream.HTTP{URL: "http://127.0.0.1:1/mcp"}
			case 1:
				s.Endpoint = upstream.InMemory{Server: tools(map[string]mcp.ToolHandler{"get": hanging})}
			case 2:
				s.Endpoint = upstream.InMemory{Server: cutting{}}
			}
			if err := agg.Add(s); err != nil {
				b.Fatal(err)
			}
		}
		if err := agg.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		return cash.NewServer(reg, nil)
	}
	get := func(srv *cash.Server, i int) error {
		_, err := srv.Call(b.Context(), &cash.CallRequest{Namespace: label(i), Function: "get"})
		return err
	}
	without, with := newServer(false), newServer(true)
	stop, stopped := make(chan struct{}), make(chan struct{})
	for i := range 3 {
		go func() {
			defer func() { stopped <- struct{}{} }()
			for {
				_ = get(with, i)
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
				}
			}
		}()
	}
	var took [2][]time.Duration
	i := 0
	for b.Loop() {
		for j, srv := range []*cash.Server{without, with} {
			began := time.Now()
			if err := get(srv, 3+i%17); err != nil {
				b.Fatal(err)
			}
			took[j] = append(took[j], time.Since(began))
		}
		i++
	}
	close(stop)
	for range 3 {
		<-stopped
	}
	a, c := at(took[0], 99), at(took[1], 99)
	b.ReportMetric(float64(a.Microseconds()), "us-p99-without")
	b.ReportMetric(float64(c.Microseconds()), "us-p99-with")
	b.ReportMetric(float64(c)/float64(a), "x-without")
	b.ReportMetric(0, "ns/op")
}

type runner interface {
	Run(context.Context, mcp.Transport) error
}

func label(i int) string { return "s" + string(rune('a'+i)) }

func hanging(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// cutting ends a connection as soon as a tool is called.
type cutting struct{}

func (cutting) Run(ctx context.Context, t mcp.Transport) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := tools(map[string]mcp.ToolHandler{"get": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		cancel()
		return text("never sent"), nil
	}})
	return srv.Run(ctx, t)
}
