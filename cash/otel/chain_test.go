package cashotel_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
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
					wantTrace(t, receiver, root, want)
				})
			}
		})
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
