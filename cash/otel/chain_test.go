package cashotel_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/otel/internal/otlptest"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// A call goes through three processes: the service of an embedder with an aggregator in it, another aggregator, and
// the server with the function. Each exports its spans to the receiver. The spans of the call are one trace, whatever
// the processes are linked by, and in both generations of the protocol.
func TestOneTraceThroughThreeProcesses(t *testing.T) {
	for _, link := range []string{"http", "sessions", "stdio"} {
		t.Run(link, func(t *testing.T) {
			receiver := otlptest.New(t)
			desk := newDesk(t, link, receiver)
			for _, version := range []string{"2025-11-25", "2026-07-28"} {
				t.Run(version, func(t *testing.T) {
					agent := provider(t, "agent", receiver)
					client := &http.Client{Transport: otelhttp.NewTransport(nil, otelhttp.WithTracerProvider(agent), w3c)}
					c := (&cashtest.Dialer{Version: version, HTTPClient: client}).ConnectHTTP(t, desk)
					ctx, root := agent.Tracer("agent").Start(t.Context(), "turn")
					callOrder(ctx, t, c.Session, nil)
					root.End()
					const want = `turn internal (agent)
  HTTP POST client (agent)
    POST /mcp server (desk)
      tools/call team.last.orders.create server (desk)
        tools/call team.last.orders.create client (desk)
          tools/call last.orders.create server (middle)
            tools/call last.orders.create client (middle)
              tools/call orders.create server (last)
`
					spans := wantTrace(t, receiver, root, want)
					last := spans[slices.IndexFunc(spans, func(s otlptest.Span) bool { return s.Service == "last" })]
					if a := last.Attributes; a["network.transport"] != via[link].network || a["mcp.protocol.version"] != via[link].version {
						t.Errorf("the last server was reached by %s, in version %s", a["network.transport"], a["mcp.protocol.version"])
					}
				})
			}
		})
	}
}

// via is how the last server is reached, by link.
var via = map[string]struct{ network, version string }{
	"http": {"tcp", "2026-07-28"}, "sessions": {"tcp", "2025-11-25"}, "stdio": {"pipe", "2026-07-28"},
}

// A client that sends the context in the metadata too is the parent of the call. The HTTP span is linked.
func TestClientWithMetadata(t *testing.T) {
	receiver := otlptest.New(t)
	desk := newDesk(t, "stdio", receiver)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			agent := provider(t, "agent", receiver)
			client := &http.Client{Transport: otelhttp.NewTransport(nil, otelhttp.WithTracerProvider(agent), w3c)}
			c := (&cashtest.Dialer{Version: version, HTTPClient: client}).ConnectHTTP(t, desk)
			ctx, root := agent.Tracer("agent").Start(t.Context(), "turn")
			meta := make(map[string]string)
			propagation.TraceContext{}.Inject(ctx, propagation.MapCarrier(meta))
			callOrder(ctx, t, c.Session, mcp.Meta{"traceparent": meta["traceparent"]})
			root.End()
			spans := wantTrace(t, receiver, root, `turn internal (agent)
  HTTP POST client (agent)
    POST /mcp server (desk)
  tools/call team.last.orders.create server (desk)
    tools/call team.last.orders.create client (desk)
      tools/call last.orders.create server (middle)
        tools/call last.orders.create client (middle)
          tools/call orders.create server (last)
`)
			post := spans[slices.IndexFunc(spans, func(s otlptest.Span) bool { return s.Name == "POST /mcp" })]
			call := spans[slices.IndexFunc(spans, func(s otlptest.Span) bool { return s.Service == "desk" && len(s.Links) > 0 })]
			if call.Kind != "server" || len(call.Links) != 1 || call.Links[0] != post.ID {
				t.Errorf("the call %s is linked to %s, the HTTP span is %s", call.Name, call.Links, post.ID)
			}
		})
	}
}

// The client of an upstream server's endpoint may make HTTP spans and headers. Baggage is in none of them.
func TestHTTPSpansToUpstream(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, forward := range []bool{false, true} {
			hook, spans := record(cashotel.Options{Baggage: forward})
			var mu sync.Mutex
			var header http.Header
			opts := serve.Options{Observe: hook}
			if version == "2025-11-25" {
				opts.HTTP = serve.SessionsOnly
			}
			inner := newShop(opts).Handler()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					mu.Lock()
					header = r.Header.Clone() // of the last one: the call
					mu.Unlock()
				}
				inner.ServeHTTP(w, r)
			}))
			t.Cleanup(web.Close)
			p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
			client := &http.Client{Transport: otelhttp.NewTransport(nil, otelhttp.WithTracerProvider(p), w3c)}
			reg := registry.New(nil)
			agg := upstream.New(reg, &upstream.Options{Observe: hook})
			t.Cleanup(func() { _ = agg.Close(context.Background()) })
			if err := agg.Add(upstream.Server{Label: "shop", Endpoint: upstream.HTTP{URL: web.URL, Client: client}}); err != nil {
				t.Fatal(err)
			}
			if err := agg.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			c := cashtest.Connect(t, cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: hook}}))
			_, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "call", Meta: mcp.Meta{"traceparent": clientParent, "baggage": "secret=value"},
				Arguments: map[string]any{"namespace": "shop.orders", "function": "create", "kwargs": map[string]any{"item": "cup"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			parent, bag := header.Get("Traceparent"), header.Get("Baggage")
			mu.Unlock()
			if !strings.Contains(parent, clientTrace) || (bag == "secret=value") != forward {
				t.Errorf("%s, Baggage %v: the HTTP request has %q, %q", version, forward, parent, bag)
			}
			for _, s := range spans.calls(t, "orders.create", 3) {
				if id := s.SpanContext().TraceID().String(); id != clientTrace {
					t.Errorf("%s, Baggage %v: %s is in trace %s", version, forward, s.Name(), id)
				}
			}
		}
	}
}

var w3c = otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))

// wantTrace waits for the trace of root and compares its tree.
func wantTrace(t *testing.T, receiver *otlptest.Receiver, root trace.Span, want string) []otlptest.Span {
	t.Helper()
	id := root.SpanContext().TraceID().String()
	own := func(all []otlptest.Span) []otlptest.Span {
		return slices.DeleteFunc(slices.Clone(all), func(s otlptest.Span) bool { return s.Trace != id })
	}
	spans := own(receiver.Spans(t, func(all []otlptest.Span) bool { return len(own(all)) >= strings.Count(want, "\n") }))
	if got := otlptest.Tree(spans); got != want {
		t.Errorf("the trace is\n%s\nwant\n%s", got, want)
	}
	return spans
}

// provider returns a provider that exports to the receiver.
func provider(t testing.TB, service string, receiver *otlptest.Receiver) *sdktrace.TracerProvider {
	t.Helper()
	p, err := tracing(service, receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Shutdown(context.Background()) })
	return p
}

// newDesk serves an embedder's service with an aggregator in it, and returns the URL of its MCP endpoint.
func newDesk(t *testing.T, link string, receiver *otlptest.Receiver) string {
	t.Helper()
	p := provider(t, "desk", receiver)
	hook := cashotel.New(&cashotel.Options{TracerProvider: p})
	reg := registry.New(nil)
	stop, err := mount(reg, "team", role{"middle", link, receiver.URL}, hook)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	srv := cash.NewServer(reg, &cash.Options{Name: "desk", Serve: serve.Options{Observe: hook}})
	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	named := otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method + " " + r.URL.Path })
	web := httptest.NewServer(otelhttp.NewHandler(mux, "desk", otelhttp.WithTracerProvider(p), w3c, named))
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

// callOrder calls the last server's function in the context of ctx.
func callOrder(ctx context.Context, t *testing.T, s *mcp.ClientSession, meta mcp.Meta) {
	t.Helper()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "call", Meta: meta, Arguments: map[string]any{
		"namespace": "team.last.orders", "function": "create", "kwargs": map[string]any{"item": "cup"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if res.IsError {
		t.Fatalf("the call failed: %+v", res.Content[0])
	}
}
