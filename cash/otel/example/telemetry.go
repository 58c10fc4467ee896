package main

import (
	"context"
	"errors"
	"io"
	"os"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// endpointVariable names the collector, for OpenTelemetry's exporters.
const endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"

// startTelemetry sets the global providers. With a collector in the environment, they export to it; else they print
// to out, unless it is nil. The returned function stops them, and sends what is left.
func startTelemetry(ctx context.Context, service string, out io.Writer) (stop func(context.Context) error, err error) {
	name := resource.NewSchemaless(attribute.String("service.name", service))
	spans := []trace.TracerProviderOption{trace.WithResource(name)}
	metrics := []metric.Option{metric.WithResource(name)}
	table := func(context.Context) error { return nil }
	switch {
	case os.Getenv(endpointVariable) != "":
		traceExporter, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, err
		}
		metricExporter, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return nil, err
		}
		spans = append(spans, trace.WithBatcher(traceExporter))
		metrics = append(metrics, metric.WithReader(metric.NewPeriodicReader(metricExporter)))
	case out != nil:
		reader := metric.NewManualReader()
		spans = append(spans, trace.WithSpanProcessor(newPrinter(out)))
		metrics = append(metrics, metric.WithReader(reader))
		table = func(ctx context.Context) error { return printMetrics(ctx, out, reader) }
	}
	tracerProvider, meterProvider := trace.NewTracerProvider(spans...), metric.NewMeterProvider(metrics...)
	otel.SetTracerProvider(tracerProvider)
	otel.SetMeterProvider(meterProvider)
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	return func(ctx context.Context) error {
		return errors.Join(tracerProvider.Shutdown(ctx), table(ctx), meterProvider.Shutdown(ctx))
	}, nil
}
