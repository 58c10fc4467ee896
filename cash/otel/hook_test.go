package cashotel_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A rig is a hook whose spans are recorded.
type rig struct {
	*observe.Observer
	spans  *tracetest.SpanRecorder
	tracer trace.Tracer // for spans around the hook's
}

func newRig(opts cashotel.Options) *rig {
	spans := tracetest.NewSpanRecorder()
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	opts.TracerProvider = p
	return &rig{observe.New(cashotel.New(&opts), nil), spans, p.Tracer("test")}
}

// run runs one request and returns its span.
func (r *rig) run(t *testing.T, ctx context.Context, req observe.Request, notes func(*observe.Request)) sdktrace.ReadOnlySpan {
	t.Helper()
	_, rec := r.Begin(ctx, req)
	if notes != nil {
		rec.Note(notes)
	}
	before := len(r.spans.Ended())
	rec.End()
	ended := r.spans.Ended()
	if len(ended) != before+1 {
		t.Fatalf("%d spans have ended", len(ended)-before)
	}
	return ended[before]
}

func text(s sdktrace.ReadOnlySpan) string {
	var list []string
	for _, kv := range s.Attributes() {
		list = append(list, fmt.Sprintf("%s=%s", kv.Key, kv.Value.String()))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestSpans(t *testing.T) {
	tests := []struct {
		name   string
		begin  observe.Request
		notes  func(*observe.Request)
		kind   trace.SpanKind
		span   string
		status codes.Code
		want   string // attributes
	}{
		{
			"a call", observe.Request{Method: "tools/call", Transport: "http", Session: "s1"},
			func(r *observe.Request) {
				r.Tool, r.Function, r.Version, r.Owner = "call", "orders.create", "2025-11-25", "owner"
				r.RequestBytes, r.ResultBytes, r.Repairs, r.Attempts = 20, 30, 2, 3
				r.Gated, r.Cached, r.Approval, r.Tokens = true, true, "operator", 7
			},
			trace.SpanKindServer, "tools/call orders.create", codes.Unset,
			"cash.approval=operator cash.attempts=3 cash.cached=true cash.gated=true cash.outcome=ok cash.repairs=2 cash.request.size=20 " +
				"cash.result.size=30 cash.result.tokens=7 cash.tool=call gen_ai.operation.name=execute_tool gen_ai.tool.name=orders.create " +
				"mcp.method.name=tools/call mcp.protocol.version=2025-11-25 network.protocol.name=http network.transport=tcp",
		},
		{
			"invalid arguments", observe.Request{Method: "tools/call", Transport: "stdio"},
			func(r *observe.Request) {
				r.Tool, r.Function, r.Outcome, r.DryRun = "call", "orders.create", "INVALID_ARGUMENTS", true
			},
			trace.SpanKindServer, "tools/call orders.create", codes.Error,
			"cash.dry_run=true cash.outcome=INVALID_ARGUMENTS cash.tool=call error.type=tool_error gen_ai.operation.name=execute_tool " +
				"gen_ai.tool.name=orders.create mcp.method.name=tools/call network.transport=pipe",
		},
		{
			"an unknown function", observe.Request{Method: "tools/call"},
			func(r *observe.Request) { r.Tool, r.Outcome = "call", "UNKNOWN_FUNCTION" },
			trace.SpanKindServer, "tools/call call", codes.Error,
			"cash.outcome=UNKNOWN_FUNCTION error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=call mcp.method.name=tools/call",
		},
		{
			"a question", observe.Request{Method: "tools/call"},
			func(r *observe.Request) { r.Tool, r.Function, r.Outcome = "call", "f", observe.Asked },
			trace.SpanKindServer, "tools/call f", codes.Unset,
			"cash.outcome=asked cash.tool=call gen_ai.operation.name=execute_tool gen_ai.tool.name=f mcp.method.name=tools/call",
		},
		{
			"a refused message", observe.Request{Transport: "http"},
			func(r *observe.Request) { r.Outcome, r.Code, r.Status = observe.Refused, -32700, 400 },
			trace.SpanKindServer, "_OTHER", codes.Error,
			"cash.outcome=refused error.type=-32700 http.response.status_code=400 mcp.method.name=_OTHER network.protocol.name=http " +
				"network.transport=tcp rpc.response.status_code=-32700",
		},
		{
			"no token", observe.Request{Transport: "http"},
			func(r *observe.Request) { r.Outcome, r.Status = observe.Refused, 401 },
			trace.SpanKindServer, "_OTHER", codes.Error,
			"cash.outcome=refused error.type=401 http.response.status_code=401 mcp.method.name=_OTHER network.protocol.name=http network.transport=tcp",
		},
		{
			"refused without a reason", observe.Request{Method: "ping"},
			func(r *observe.Request) { r.Outcome = observe.Refused },
			trace.SpanKindServer, "ping", codes.Error, "cash.outcome=refused error.type=_OTHER mcp.method.name=ping",
		},
		{
			"a list", observe.Request{Method: "tools/list"}, nil,
			trace.SpanKindServer, "tools/list", codes.Unset, "cash.outcome=ok mcp.method.name=tools/list",
		},
		{
			"a call upstream", observe.Request{Sent: true, Method: "tools/call", Server: "shop", Transport: "stdio"},
			func(r *observe.Request) { r.Tool, r.Outcome = "create", "TIMEOUT" },
			trace.SpanKindClient, "tools/call create", codes.Error,
			"cash.outcome=TIMEOUT cash.upstream=shop error.type=TIMEOUT gen_ai.operation.name=execute_tool gen_ai.tool.name=create " +
				"mcp.method.name=tools/call network.transport=pipe",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newRig(cashotel.Options{}).run(t, t.Context(), tt.begin, tt.notes)
			if s.Name() != tt.span || s.SpanKind() != tt.kind || s.Status().Code != tt.status {
				t.Errorf("the span is %q, %v, %v", s.Name(), s.SpanKind(), s.Status())
			}
			if got := text(s); got != tt.want {
				t.Errorf("the attributes are\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestValuesAreUTF8 holds that no name of a caller is one that OTLP cannot carry.
func TestValuesAreUTF8(t *testing.T) {
	for _, owner := range []string{"caller:\xff", "caller:" + strings.Repeat("é", 300)} {
		s := newRig(cashotel.Options{Callers: true}).run(t, t.Context(), observe.Request{Method: "ping"}, func(r *observe.Request) { r.Owner = owner })
		if all := text(s); !utf8.ValidString(all) || !strings.Contains(all, "caller:") {
			t.Errorf("%.20q: %q", owner, all)
		}
	}
}

// Spans tell who called only if the embedder asks for it.
func TestCallers(t *testing.T) {
	for _, callers := range []bool{false, true} {
		s := newRig(cashotel.Options{Callers: callers}).run(t, t.Context(), observe.Request{Method: "ping", Session: "s1"}, func(r *observe.Request) {
			r.Owner = strings.Repeat("o", 1000)
		})
		got := attribute.NewSet(s.Attributes()...)
		owner, _ := got.Value("cash.owner")
		session, _ := got.Value("mcp.session.id")
		if callers != (session.AsString() == "s1") || callers != (len(owner.AsString()) == 200) {
			t.Errorf("with Callers %v: %s", callers, text(s))
		}
	}
}

const (
	clientTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientParent = "00-" + clientTrace + "-00f067aa0ba902b7-01"
	headerParent = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-01"
)

// The parent is the context in the metadata, then the span around, then the context in the header. What is not the
// parent is linked.
func TestParents(t *testing.T) {
	const meta, header, ambient = "00f067aa0ba902b7", "bbbbbbbbbbbbbbbb", "ambient"
	tests := []struct {
		name                     string
		meta, header, in, public bool
		parent, link             string
	}{
		{name: "nothing"},
		{name: "metadata", meta: true, parent: meta},
		{name: "header", header: true, parent: header},
		{name: "metadata and header", meta: true, header: true, parent: meta},
		{name: "span around", in: true, parent: ambient},
		{name: "metadata, span around", meta: true, in: true, header: true, parent: meta, link: ambient},
		{name: "header, span around", header: true, in: true, parent: ambient},
		{name: "public", meta: true, header: true, public: true, link: meta},
		{name: "public, header", header: true, public: true, link: header},
		{name: "public, span around", meta: true, in: true, public: true, parent: ambient, link: meta},
		{name: "public, nothing", public: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(cashotel.Options{Public: tt.public})
			ctx, req := t.Context(), observe.Request{Method: "ping"}
			around := ""
			if tt.in {
				var s trace.Span
				ctx, s = r.tracer.Start(ctx, "around")
				around = s.SpanContext().SpanID().String()
			}
			if tt.meta {
				req.Meta = map[string]any{"traceparent": clientParent, "tracestate": "a=1", "baggage": "who=client"}
			}
			if tt.header {
				req.Header = http.Header{"Traceparent": {headerParent}}
			}
			ctx, rec := r.Begin(ctx, req)
			rec.End()
			s := r.spans.Ended()[0]
			name := func(id string) string {
				if id == around && id != "" {
					return ambient
				}
				return strings.Trim(id, "0")
			}
			if got := name(s.Parent().SpanID().String()); got != strings.Trim(tt.parent, "0") {
				t.Errorf("the parent is %q, want %q", got, tt.parent)
			}
			link := ""
			for _, l := range s.Links() {
				link += name(l.SpanContext.SpanID().String())
			}
			if link != strings.Trim(tt.link, "0") {
				t.Errorf("the link is %q, want %q", link, tt.link)
			}
			if got := baggage.FromContext(ctx).Member("who").Value(); (got == "client") != (tt.meta && !tt.public) {
				t.Errorf("the baggage of the client is %q", got)
			}
			if same := s.SpanContext().TraceID().String() == clientTrace; same != (tt.meta && !tt.public) {
				t.Errorf("the trace is %s", s.SpanContext().TraceID())
			}
		})
	}
}

// What is no context, or a too long one, is ignored. The request gets a span.
func TestHostileContext(t *testing.T) {
	long := strings.Repeat("a=1,", 1<<18)
	tests := []struct {
		name   string
		meta   map[string]any
		follow bool // the traceparent is followed
	}{
		{"no text", map[string]any{"traceparent": 7, "tracestate": map[string]any{}, "baggage": []any{"a=1"}}, false},
		{"empty", map[string]any{"traceparent": ""}, false},
		{"zeros", map[string]any{"traceparent": "00-00000000000000000000000000000000-0000000000000000-01"}, false},
		{"no hex", map[string]any{"traceparent": strings.Replace(clientParent, "4b", "zz", 1)}, false},
		{"version ff", map[string]any{"traceparent": "ff" + clientParent[2:]}, false},
		{"cut", map[string]any{"traceparent": clientParent[:54]}, false},
		{"more", map[string]any{"traceparent": clientParent + "-00"}, false},
		{"line ends", map[string]any{"traceparent": clientParent + "\r\nx: y"}, false},
		{"1 MB", map[string]any{"traceparent": clientParent + strings.Repeat("0", 1<<20)}, false},
		{"1 MB of tracestate", map[string]any{"traceparent": clientParent, "tracestate": long}, true},
		{"1 MB of baggage", map[string]any{"traceparent": clientParent, "baggage": long}, true},
		{"bad tracestate", map[string]any{"traceparent": clientParent, "tracestate": "\x00=\r\n"}, true},
		{"bad baggage", map[string]any{"traceparent": clientParent, "baggage": "=;=;\x00"}, true},
		{"a member twice", map[string]any{"traceparent": clientParent, "tracestate": "a=1,a=2"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(cashotel.Options{Baggage: true})
			ctx, rec := r.Begin(t.Context(), observe.Request{Method: "ping", Meta: tt.meta})
			out := r.send(ctx)
			rec.End()
			s := r.spans.Ended()[1]
			if got := s.SpanContext().TraceID().String() == clientTrace; got != tt.follow || s.Parent().IsValid() != tt.follow {
				t.Errorf("the trace is %s, the parent %s", s.SpanContext().TraceID(), s.Parent().SpanID())
			}
			if s.SpanContext().TraceState().Len() != 0 || baggage.FromContext(ctx).Len() != 0 {
				t.Errorf("the tracestate is %s, the baggage %s", s.SpanContext().TraceState(), baggage.FromContext(ctx))
			}
			if len(out) != 1 {
				t.Errorf("an upstream server gets %v", out)
			}
		})
	}
}

// The largest context that is taken arrives whole, and goes on.
func TestLongContext(t *testing.T) {
	r := newRig(cashotel.Options{Baggage: true})
	var state, bag []string
	for i := range 32 {
		state = append(state, fmt.Sprintf("k%d=%s", i, strings.Repeat("v", 200)))
		bag = append(bag, fmt.Sprintf("k%d=%s", i, strings.Repeat("v", 200)))
	}
	meta := map[string]any{"traceparent": clientParent, "tracestate": strings.Join(state, ","), "baggage": strings.Join(bag, ",")}
	ctx, _ := r.Begin(t.Context(), observe.Request{Method: "ping", Meta: meta})
	out := r.send(ctx)
	if out["tracestate"] != meta["tracestate"] || len(fmt.Sprint(out["baggage"])) != len(fmt.Sprint(meta["baggage"])) {
		t.Errorf("an upstream server gets %v", out)
	}
}

// send sends a request in ctx and returns the metadata that the upstream server gets.
func (r *rig) send(ctx context.Context) map[string]any {
	_, rec := r.Begin(ctx, observe.Request{Sent: true, Method: "tools/call", Server: "shop"})
	defer rec.End()
	return rec.Request().Meta
}

// An upstream server gets the context of the span of its own request. Baggage stays here unless the embedder sends it.
func TestDeparture(t *testing.T) {
	for _, forward := range []bool{false, true} {
		r := newRig(cashotel.Options{Baggage: forward})
		ctx, rec := r.Begin(t.Context(), observe.Request{Method: "ping", Meta: map[string]any{
			"traceparent": clientParent, "tracestate": "vendor=1", "baggage": "secret=value", "progressToken": "p1", "x": "y",
		}})
		meta := map[string]any{"own": "kept"}
		sentCtx, sent := r.Begin(ctx, observe.Request{Sent: true, Method: "tools/call", Server: "shop", Meta: meta})
		sent.End()
		rec.End()
		client := r.spans.Ended()[0].SpanContext()
		want := map[string]any{"own": "kept", "tracestate": "vendor=1", "traceparent": "00-" + clientTrace + "-" + client.SpanID().String() + "-01"}
		if forward {
			want["baggage"] = "secret=value"
		}
		if fmt.Sprint(meta) != fmt.Sprint(want) {
			t.Errorf("with Baggage %v, an upstream server gets %v, want %v", forward, meta, want)
		}
		if got := baggage.FromContext(sentCtx).Len(); (got > 0) != forward {
			t.Errorf("with Baggage %v, the context of its HTTP request has %d members of baggage", forward, got)
		}
		if baggage.FromContext(ctx).Len() != 1 {
			t.Error("the function does not see the baggage")
		}
	}
}

// Without a provider there are no spans, and the context of the client still goes on.
func TestNoProvider(t *testing.T) {
	o := observe.New(cashotel.New(nil), nil)
	ctx, rec := o.Begin(t.Context(), observe.Request{Method: "ping", Meta: map[string]any{"traceparent": clientParent}})
	_, sent := o.Begin(ctx, observe.Request{Sent: true, Method: "ping"})
	if got := sent.Request().Meta["traceparent"]; got != clientParent {
		t.Errorf("the context is %v", got)
	}
	sent.End()
	rec.End()
}

// A propagator of the embedder takes the place of W3C's, both ways.
func TestPropagator(t *testing.T) {
	r := newRig(cashotel.Options{Propagator: propagation.NewCompositeTextMapPropagator()})
	s := r.run(t, t.Context(), observe.Request{Method: "ping", Meta: map[string]any{"traceparent": clientParent}}, nil)
	if s.Parent().IsValid() || len(r.send(t.Context())) != 0 {
		t.Errorf("the parent is %v", s.Parent())
	}
}
