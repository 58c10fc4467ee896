package cashotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/cash-mcp/go-sdk/cash/serve"
)

// Watch adds what a server counts itself to the metrics, under the name that you give it: sessions, connections, calls
// in flight, and HTTP requests that were refused. stats is the method Stats of a server of any face.
func (h *Hook) Watch(name string, stats func() serve.Stats) {
	m, own := h.opts.MeterProvider.Meter(scope), metric.WithAttributes(serverKey.String(name))
	sessions, err1 := m.Int64ObservableGauge("cash.server.sessions", metric.WithUnit("{session}"),
		metric.WithDescription("HTTP sessions."))
	connections, err2 := m.Int64ObservableGauge("cash.server.connections", metric.WithUnit("{connection}"),
		metric.WithDescription("Connections on other transports, such as stdio."))
	calls, err3 := m.Int64ObservableGauge("cash.server.calls", metric.WithUnit("{call}"),
		metric.WithDescription("Tool calls in flight."))
	failures, err4 := m.Int64ObservableCounter("cash.server.http.errors", metric.WithUnit("{request}"),
		metric.WithDescription("HTTP requests that were answered with an error status."))
	_, err5 := m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := stats()
		o.ObserveInt64(sessions, int64(s.Sessions), own)
		o.ObserveInt64(connections, int64(s.Connections), own)
		o.ObserveInt64(calls, int64(s.Calls), own)
		for status, n := range s.HTTP {
			o.ObserveInt64(failures, n, own, metric.WithAttributes(semconv.HTTPResponseStatusCode(status)))
		}
		return nil
	}, sessions, connections, calls, failures)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		otel.Handle(err)
	}
}
