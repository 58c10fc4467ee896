package cashotel_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A spanLog has the spans that have ended.
type spanLog struct {
	*tracetest.SpanRecorder
	ended chan struct{} // receives for each, as far as there is room
}

// OnEnd implements sdktrace.SpanProcessor.
func (l *spanLog) OnEnd(s sdktrace.ReadOnlySpan) {
	l.SpanRecorder.OnEnd(s)
	select {
	case l.ended <- struct{}{}:
	default:
	}
}

// record returns a hook and the spans that it has ended.
func record(opts cashotel.Options) (*cashotel.Hook, *spanLog) {
	spans := &spanLog{tracetest.NewSpanRecorder(), make(chan struct{}, 1)}
	opts.TracerProvider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	return cashotel.New(&opts), spans
}

// calls returns the spans of tool calls whose names end so, after there are n. An answer may come before its span.
func (l *spanLog) calls(t *testing.T, suffix string, n int) []sdktrace.ReadOnlySpan {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		found := slices.DeleteFunc(l.Ended(), func(s sdktrace.ReadOnlySpan) bool {
			return !strings.HasPrefix(s.Name(), "tools/call") || !strings.HasSuffix(s.Name(), suffix)
		})
		if len(found) >= n {
			return found
		}
		select {
		case <-l.ended:
		case <-late:
			t.Fatalf("there are %d spans of calls, want %d", len(found), n)
		}
	}
}

// Over real connections, a client with a hostile context gets its answer, and its request gets a span.
func TestHostileClient(t *testing.T) {
	long := strings.Repeat("a=1,", 1<<18)
	for _, link := range cashtest.Links() {
		t.Run(link.String(), func(t *testing.T) {
			hook, spans := record(cashotel.Options{})
			c := link.Connect(t, newShop(serve.Options{Observe: hook}), nil, nil)
			metas := []mcp.Meta{
				{"traceparent": clientParent},
				{"traceparent": "00-xyz"},
				{"traceparent": 1, "tracestate": true, "baggage": []int{1}},
				{"traceparent": clientParent, "tracestate": long, "baggage": long},
			}
			for i, meta := range metas {
				res, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Meta: meta, Arguments: map[string]any{
					"namespace": "orders", "function": "create", "kwargs": map[string]any{"item": "cup"},
				}})
				if err != nil || res.IsError {
					t.Fatalf("%d: %v, %+v", i, err, res)
				}
			}
			for i, s := range spans.calls(t, "", len(metas)) {
				follows := s.SpanContext().TraceID().String() == clientTrace
				if want := i == 0 || i == 3; follows != want || s.SpanContext().TraceState().Len() > 0 {
					t.Errorf("%d: the trace is %s, the tracestate %.50s", i, s.SpanContext().TraceID(), s.SpanContext().TraceState())
				}
			}
		})
	}
}

// The span of a call has the name of the function on every face. A name that nobody registered is in no span.
func TestNamesOnAllFaces(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders of customers.").Add(registry.Func("create", "Create an order.", create))
	id := ""
	for f := range reg.All() {
		id = f.ID().String()
	}
	kwargs := map[string]any{"item": "cup"}
	tests := []struct {
		name    string
		server  func(registry.Source, serve.Options) cashtest.Face
		tool    string
		args    func(function string) map[string]any
		unknown string // the span of an unknown function
	}{
		{
			"cash", func(src registry.Source, o serve.Options) cashtest.Face {
				return cash.NewServer(src, &cash.Options{Serve: o})
			},
			"call", func(f string) map[string]any {
				return map[string]any{"namespace": "orders", "function": f, "kwargs": kwargs}
			}, "tools/call call",
		},
		{
			"facade", func(src registry.Source, o serve.Options) cashtest.Face {
				return facade.NewServer(src, &facade.Options{Serve: o})
			},
			"OrdersExecute", func(f string) map[string]any {
				return map[string]any{"cmd": f, "params": kwargs}
			}, "tools/call OrdersExecute",
		},
		{
			"gateway", func(src registry.Source, o serve.Options) cashtest.Face {
				return gateway.NewServer(src, &gateway.Options{Serve: o})
			},
			"tool_execute", func(f string) map[string]any {
				return map[string]any{"tool_id": strings.Replace(id, "create", f, 1), "args": kwargs}
			}, "tools/call tool_execute",
		},
		{
			"plain", func(src registry.Source, o serve.Options) cashtest.Face {
				return plain.NewServer(src, &plain.Options{Serve: o})
			},
			"", func(string) map[string]any { return kwargs }, "tools/call",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hook, spans := record(cashotel.Options{})
			c := cashtest.Connect(t, tt.server(reg, serve.Options{Observe: hook}))
			for _, function := range []string{"create", "secret"} {
				tool := tt.tool
				if tool == "" {
					tool = "orders-" + function
				}
				_, _ = c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: tt.args(function)})
			}
			all := spans.calls(t, "", 2)
			if all[0].Name() != "tools/call orders.create" || all[1].Name() != tt.unknown {
				t.Errorf("the spans are %q and %q", all[0].Name(), all[1].Name())
			}
			for _, s := range spans.Ended() {
				if attrs := text(s); strings.Contains(attrs, "secret") || strings.Contains(attrs, "cup") {
					t.Errorf("the attributes are %s", attrs)
				}
			}
		})
	}
}

// With a hook, an upstream server gets the trace context and nothing else that it did not get without: neither baggage,
// nor what the client sent.
func TestUpstreamGetsContextOnly(t *testing.T) {
	without, with := metaUpstream(t, nil, false), metaUpstream(t, &cashotel.Options{}, true)
	var more []string
	for _, key := range slices.Sorted(maps.Keys(with)) {
		if _, ok := without[key]; !ok {
			more = append(more, key)
		}
	}
	if got := strings.Join(more, " "); got != "traceparent tracestate" {
		t.Errorf("an upstream server gets in addition: %s", got)
	}
	if forwarded := metaUpstream(t, &cashotel.Options{Baggage: true}, true); forwarded["baggage"] != "secret=value" {
		t.Errorf("with Baggage, an upstream server gets %v", forwarded)
	}
}

// metaUpstream returns the metadata of a call that an upstream server gets, for a client that sends some of its own.
func metaUpstream(t *testing.T, opts *cashotel.Options, on bool) mcp.Meta {
	t.Helper()
	var mu sync.Mutex
	var got mcp.Meta
	shop := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	shop.AddTool(&mcp.Tool{Name: "create", Description: "Create an order.", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			mu.Lock()
			defer mu.Unlock()
			got = maps.Clone(req.Params.Meta)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "created"}}}, nil
		})
	var hook observe.Hook
	if on {
		hook, _ = record(*opts)
	}
	reg := registry.New(nil)
	agg := upstream.New(reg, &upstream.Options{Observe: hook})
	t.Cleanup(func() { _ = agg.Close(context.Background()) })
	if err := agg.Add(upstream.Server{Label: "shop", Endpoint: upstream.InMemory{Server: shop}}); err != nil {
		t.Fatal(err)
	}
	if err := agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := cashtest.Connect(t, cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: hook}}))
	_, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "call", Arguments: map[string]any{"namespace": "shop", "function": "create"},
		Meta: mcp.Meta{"traceparent": clientParent, "tracestate": "vendor=1", "baggage": "secret=value", "example/own": "secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return got
}

// What the server counts itself is read when metrics are.
func TestWatch(t *testing.T) {
	m := newMeter(0)
	reg := registry.New(nil)
	srv := cash.NewServer(reg, &cash.Options{})
	m.hook.Watch("shop", srv.Stats)
	link := cashtest.Link{HTTP: true, Version: "2025-11-25"}
	link.Connect(t, srv, nil, nil)
	lines := strings.Join(m.read(t), "\n")
	for _, want := range []string{"cash.server.sessions{cash.server=shop} 1 ", "cash.server.connections{cash.server=shop} 0 ", "cash.server.calls{cash.server=shop} 0 "} {
		if !strings.Contains(lines, want) {
			t.Errorf("there is no %s in\n%s", want, lines)
		}
	}
}

// With two-stage disclosure, a fetch is a span of its own, by the resource and by the tool. Its tools are in neither name,
// as help has no function in its name. A call has the name of the function, also when it is refused before a fetch.
func TestDisclosure(t *testing.T) {
	for _, link := range cashtest.Links() {
		if link.HTTP && link.Version >= "2026-07-28" {
			continue // it has no sessions there
		}
		t.Run(link.String(), func(t *testing.T) {
			reg := registry.New(nil)
			reg.Namespace("orders", "Orders of customers.").Add(registry.Func("create", "Create an order.", create))
			hook, spans := record(cashotel.Options{})
			c := link.Connect(t, disclosure.NewServer(reg, &disclosure.Options{Tool: true, Serve: serve.Options{Observe: hook}}), nil, nil)
			call := func(tool string, args map[string]any) {
				t.Helper()
				if _, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args}); err != nil {
					t.Fatal(err)
				}
			}
			cup := map[string]any{"item": "cup"}
			call("orders-create", cup)
			if _, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "resource:///tool_descriptions?tools=orders-create,secret"}); err != nil {
				t.Fatal(err)
			}
			call("orders-create", cup)
			call("tool_descriptions", map[string]any{"tools": []string{"orders-create", "secret"}})
			var got []string
			for _, s := range spans.calls(t, "", 3) {
				set := attribute.NewSet(s.Attributes()...)
				outcome, _ := set.Value("cash.outcome")
				got = append(got, s.Name()+": "+outcome.AsString())
			}
			for _, s := range spans.Ended() {
				if strings.HasPrefix(s.Name(), "resources/read") {
					got = append(got, s.Name())
				}
				if attrs := text(s); strings.Contains(attrs, "secret") || strings.Contains(attrs, "cup") || strings.Contains(s.Name(), "secret") {
					t.Errorf("%s has the attributes %s", s.Name(), attrs)
				}
			}
			want := []string{
				"tools/call orders.create: INVALID_ARGUMENTS", "tools/call orders.create: ok", "tools/call tool_descriptions: ok", "resources/read",
			}
			if !slices.Equal(got, want) {
				t.Errorf("the spans are %q, want %q", got, want)
			}
		})
	}
}
