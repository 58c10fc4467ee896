package cashotel

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"

	"github.com/cash-mcp/go-sdk/registry/observe"
)

// maxField bounds a field of the context that a client sends, in bytes. W3C Baggage allows as much. Longer ones are
// ignored.
const maxField = 8192

// metadata carries context in the metadata of a request (SEP-414).
type metadata map[string]any

// Get implements propagation.TextMapCarrier.
func (m metadata) Get(key string) string {
	value, _ := m[key].(string)
	return bounded(value)
}

// Set implements propagation.TextMapCarrier.
func (m metadata) Set(key, value string) { m[key] = value }

// Keys implements propagation.TextMapCarrier.
func (m metadata) Keys() []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}

// headers carries the context in which an HTTP request came. It is only read.
type headers http.Header

// Get implements propagation.TextMapCarrier.
func (h headers) Get(key string) string { return bounded(http.Header(h).Get(key)) }

// Set implements propagation.TextMapCarrier.
func (headers) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (h headers) Keys() []string {
	keys := make([]string, 0, len(h))
	for key := range h {
		keys = append(keys, key)
	}
	return keys
}

func bounded(value string) string {
	if len(value) > maxField {
		return ""
	}
	return value
}

// arrive returns ctx with the parent of a served request, and the span contexts that it is linked to:
//
//   - The parent is the context in the request's metadata, linked to the span in ctx, such as that of the HTTP request.
//   - Without such a context it is the span in ctx, else the context in the HTTP header.
//   - If the hook is public, the parent is the span in ctx or none, linked to what the client sent.
func (h *Hook) arrive(ctx context.Context, r *observe.Request) (context.Context, []trace.Link) {
	ambient := trace.SpanContextFromContext(ctx)
	sent, from := h.sent(ctx, ambient, r)
	switch {
	case !from.IsValid():
		if h.opts.Public {
			return ctx, nil
		}
		return sent, nil // it may have baggage
	case h.opts.Public:
		return ctx, []trace.Link{{SpanContext: from}}
	case ambient.IsValid():
		return sent, []trace.Link{{SpanContext: ambient}}
	}
	return sent, nil
}

// sent returns ctx with the context that the client sent, and its span context, which is invalid if there is none.
func (h *Hook) sent(ctx context.Context, ambient trace.SpanContext, r *observe.Request) (context.Context, trace.SpanContext) {
	if len(r.Meta) > 0 {
		ctx = h.opts.Propagator.Extract(ctx, metadata(r.Meta))
		if from := trace.SpanContextFromContext(ctx); !from.Equal(ambient) {
			return ctx, from
		}
	}
	if len(r.Header) > 0 && !ambient.IsValid() {
		ctx = h.opts.Propagator.Extract(ctx, headers(r.Header))
		return ctx, trace.SpanContextFromContext(ctx)
	}
	return ctx, trace.SpanContext{}
}

// depart returns the context for a request to an upstream server, without what the server must not get.
func (h *Hook) depart(ctx context.Context) context.Context {
	if !h.opts.Baggage && baggage.FromContext(ctx).Len() > 0 {
		return baggage.ContextWithoutBaggage(ctx)
	}
	return ctx
}
