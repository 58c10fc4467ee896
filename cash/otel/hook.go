package cashotel

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/cash-mcp/go-sdk/registry/observe"
)

// scope names the tracer and the meter.
const scope = "github.com/cash-mcp/go-sdk/cash/otel"

// Options configure a [Hook]. The zero value uses the global providers, and takes clients for trustworthy.
type Options struct {
	// TracerProvider makes the spans. Nil is the global one.
	TracerProvider trace.TracerProvider
	// MeterProvider makes the metrics. Nil is the global one.
	MeterProvider metric.MeterProvider
	// Propagator reads the context of requests that come, and writes that of requests to upstream servers. Nil is W3C
	// trace context and baggage.
	Propagator propagation.TextMapPropagator

	// Public says that anybody can send requests. A span then links to the context that its client sent, where it
	// would be a child of it otherwise, so that clients decide neither about sampling nor about trace ids. The baggage
	// of clients is ignored.
	Public bool
	// Baggage sends baggage on to upstream servers. It may hold secrets of the client or of your service. False keeps
	// it here: functions see it in their context.
	Baggage bool
	// Callers adds the owner key of the caller and the id of the session to spans, never to metrics. They are personal
	// data, and the id can open a session whose caller is anonymous. False leaves them out.
	Callers bool
	// MaxFunctions is the most functions, and tools of upstream servers, that metrics tell apart. Further ones are
	// "_OTHER". Zero is 500.
	MaxFunctions int
}

// A Hook makes spans and metrics of requests. It is safe for concurrent use.
type Hook struct {
	opts    Options
	tracer  trace.Tracer
	metrics *metrics
}

// New returns a hook. Nil options are those of the zero value.
func New(opts *Options) *Hook {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	if o.Propagator == nil {
		o.Propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	}
	if o.MaxFunctions <= 0 {
		o.MaxFunctions = 500
	}
	return &Hook{opts: o, tracer: o.TracerProvider.Tracer(scope), metrics: newMetrics(o.MeterProvider.Meter(scope), o.MaxFunctions)}
}

// spanKey is the key of a context for the span of a hook.
type spanKey struct{ *Hook }

// The kinds of spans.
var (
	server = trace.WithSpanKind(trace.SpanKindServer)
	client = trace.WithSpanKind(trace.SpanKindClient)
)

// Begin implements [observe.Hook]. It starts a span.
func (h *Hook) Begin(ctx context.Context, r *observe.Request) context.Context {
	opts := append(make([]trace.SpanStartOption, 0, 4), trace.WithTimestamp(r.Start), trace.WithAttributes(h.early(r)...))
	if r.Sent {
		ctx = h.depart(ctx)
		opts = append(opts, client)
	} else {
		var links []trace.Link
		if ctx, links = h.arrive(ctx, r); links != nil {
			opts = append(opts, trace.WithLinks(links...))
		}
		opts = append(opts, server)
	}
	ctx, span := h.tracer.Start(ctx, spanName(r), opts...)
	if r.Sent && r.Meta != nil {
		h.opts.Propagator.Inject(ctx, metadata(r.Meta))
	}
	return context.WithValue(ctx, spanKey{h}, span)
}

// End implements [observe.Hook]. It ends the span of Begin and records the metrics.
func (h *Hook) End(ctx context.Context, r *observe.Request) {
	h.metrics.record(ctx, r)
	span, _ := ctx.Value(spanKey{h}).(trace.Span)
	if span == nil {
		return
	}
	if span.IsRecording() {
		span.SetName(spanName(r))
		span.SetAttributes(h.late(r)...)
		if t := errorType(r); t != "" {
			span.SetAttributes(semconv.ErrorTypeKey.String(t))
			span.SetStatus(codes.Error, string(r.Outcome))
		}
	}
	span.End()
}
