package cashotel_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/cash-mcp/go-sdk/cash"
	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// discard is an exporter that throws spans away.
type discard struct{ n int }

// ExportSpans implements sdktrace.SpanExporter.
func (d *discard) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	d.n += len(spans)
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (*discard) Shutdown(context.Context) error { return nil }

// hooks are what a server may have, from nothing to all.
func hooks(tb testing.TB) map[string]observe.Hook {
	meters := metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))
	exporting := sdktrace.NewTracerProvider(sdktrace.WithBatcher(new(discard)))
	tb.Cleanup(func() { _ = exporting.Shutdown(context.Background()) })
	never := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	return map[string]observe.Hook{
		"off":       nil,
		"metrics":   cashotel.New(&cashotel.Options{TracerProvider: tracenoop.NewTracerProvider(), MeterProvider: meters}),
		"unsampled": cashotel.New(&cashotel.Options{TracerProvider: never, MeterProvider: meters}),
		"on":        cashotel.New(&cashotel.Options{TracerProvider: exporting, MeterProvider: meters}),
	}
}

// BenchmarkCall is the cost of a call without a transport: nobody listens, metrics alone, spans that are not sampled,
// and all spans exported.
func BenchmarkCall(b *testing.B) {
	all := hooks(b)
	for _, name := range []string{"off", "metrics", "unsampled", "on"} {
		b.Run(name, func(b *testing.B) {
			srv := newShop(serve.Options{Observe: all[name]})
			req := &cash.CallRequest{Namespace: "orders", Function: "create", Kwargs: []byte(`{"item":"cup"}`)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := srv.Call(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func newShop(opts serve.Options) *cash.Server {
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders of customers.").Add(registry.Func("create", "Create an order.", create))
	return cash.NewServer(reg, &cash.Options{Name: "shop", Serve: opts})
}
