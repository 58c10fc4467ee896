package cashotel_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace/noop"

	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A meter is a hook whose metrics can be read.
type meter struct {
	*observe.Observer
	hook   *cashotel.Hook
	reader *metric.ManualReader
}

func newMeter(most int) *meter {
	reader := metric.NewManualReader()
	h := cashotel.New(&cashotel.Options{
		TracerProvider: noop.NewTracerProvider(), MaxFunctions: most, Callers: true,
		MeterProvider: metric.NewMeterProvider(metric.WithReader(reader), metric.WithCardinalityLimit(0)),
	})
	return &meter{observe.New(h, nil), h, reader}
}

func (m *meter) run(req observe.Request) {
	if req.Start.IsZero() {
		req.Start = time.Now()
	}
	_, rec := m.Begin(context.Background(), req)
	rec.Note(func(r *observe.Request) { *r = req })
	rec.End()
}

// read returns a line for each time series: the name of the metric, its labels, its count and its sum in whole units.
func (m *meter) read(t *testing.T) []string {
	t.Helper()
	var data metricdata.ResourceMetrics
	if err := m.reader.Collect(context.Background(), &data); err != nil {
		t.Fatal(err)
	}
	var lines []string
	add := func(name string, set attribute.Set, count uint64, sum float64) {
		lines = append(lines, fmt.Sprintf("%s{%s} %d %.0f", name, set.Encoded(attribute.DefaultEncoder()), count, sum))
	}
	for _, scope := range data.ScopeMetrics {
		for _, one := range scope.Metrics {
			switch d := one.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					add(one.Name, p.Attributes, p.Count, p.Sum)
				}
			case metricdata.Histogram[int64]:
				for _, p := range d.DataPoints {
					add(one.Name, p.Attributes, p.Count, float64(p.Sum))
				}
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					add(one.Name, p.Attributes, uint64(p.Value), 0)
				}
			case metricdata.Gauge[int64]:
				for _, p := range d.DataPoints {
					add(one.Name, p.Attributes, uint64(p.Value), 0)
				}
			default:
				t.Fatalf("%s is a %T", one.Name, d)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func TestMetrics(t *testing.T) {
	m := newMeter(0)
	start := time.Now().Add(-2 * time.Second)
	call := observe.Request{
		Method: "tools/call", Transport: "http", Version: "2025-11-25", Tool: "call", Function: "orders.create", Start: start,
		ResultBytes: 100, Tokens: 25, Repairs: 1, Cached: true, Gated: true, Attempts: 2,
		Session: "secret-session", Owner: "secret-owner", Approval: "client",
	}
	m.run(call)
	m.run(call)
	m.run(observe.Request{Method: "tools/call", Tool: "call", Outcome: "UNKNOWN_FUNCTION", Start: start})
	m.run(observe.Request{Outcome: observe.Refused, Status: 413, Transport: "http", Start: start})
	m.run(observe.Request{Sent: true, Method: "tools/call", Server: "shop", Tool: "create", Outcome: "TIMEOUT", Start: start})
	got := strings.Join(m.read(t), "\n")
	const labels = "cash.outcome=ok,gen_ai.operation.name=execute_tool,gen_ai.tool.name=orders.create,mcp.method.name=tools/call," +
		"mcp.protocol.version=2025-11-25,network.protocol.name=http,network.transport=tcp"
	want := strings.Join([]string{
		"cash.server.interventions{cash.intervention=cache,gen_ai.tool.name=orders.create} 2 0",
		"cash.server.interventions{cash.intervention=gate,gen_ai.tool.name=orders.create} 2 0",
		"cash.server.interventions{cash.intervention=repair,gen_ai.tool.name=orders.create} 2 0",
		"cash.server.interventions{cash.intervention=retry,gen_ai.tool.name=orders.create} 2 0",
		"cash.server.result.size{" + labels + "} 2 200",
		"cash.server.result.tokens{" + labels + "} 2 50",
		"mcp.client.operation.duration{cash.outcome=TIMEOUT,cash.upstream=shop,error.type=TIMEOUT,gen_ai.operation.name=execute_tool,gen_ai.tool.name=create,mcp.method.name=tools/call} 1 2",
		"mcp.server.operation.duration{cash.outcome=UNKNOWN_FUNCTION,error.type=tool_error,gen_ai.operation.name=execute_tool,gen_ai.tool.name=call,mcp.method.name=tools/call} 1 2",
		"mcp.server.operation.duration{" + labels + "} 2 4",
		"mcp.server.operation.duration{cash.outcome=refused,error.type=413,mcp.method.name=_OTHER,network.protocol.name=http,network.transport=tcp} 1 2",
	}, "\n")
	if got != want {
		t.Errorf("the metrics are\n%s\nwant\n%s", got, want)
	}
}

// Whatever clients and upstream servers send, the number of time series is bounded.
func TestBoundedLabels(t *testing.T) {
	m := newMeter(3)
	for i := range 2000 {
		m.run(observe.Request{Method: "tools/call", Tool: "call", Function: fmt.Sprint("f", i)})
		m.run(observe.Request{Method: "ping", Version: fmt.Sprint("2027-01-", i)})
		m.run(observe.Request{Sent: true, Method: "ping", Server: fmt.Sprint("s", i), Outcome: observe.Refused, Code: int64(i)})
		m.run(observe.Request{Sent: true, Method: "tools/call", Server: "shop", Tool: fmt.Sprint("t", i)})
	}
	m.run(observe.Request{Method: "tools/call", Tool: "call", Function: "f1"})
	count := make(map[string]int)
	for _, line := range m.read(t) {
		name, _, _ := strings.Cut(line, "{")
		count[name]++
		if strings.Contains(line, "=f1,") && !strings.HasSuffix(line, " 2 0") {
			t.Errorf("a function that is known is not told apart any more: %s", line)
		}
	}
	// Two functions, the others, and ping of other versions. One tool and 199 servers take the rest of the names, and
	// each have others.
	if count["mcp.server.operation.duration"] != 4 || count["mcp.client.operation.duration"] != 202 {
		t.Errorf("time series: %v", count)
	}
}
