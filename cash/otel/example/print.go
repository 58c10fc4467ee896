package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// A printer prints spans as trees, each when its topmost span in this process has ended. Requests that the process
// sends of its own accord are left out, such as those for the tools of other servers.
type printer struct {
	mu       sync.Mutex
	out      io.Writer
	children map[oteltrace.SpanID][]trace.ReadOnlySpan
}

func newPrinter(out io.Writer) *printer {
	return &printer{out: out, children: make(map[oteltrace.SpanID][]trace.ReadOnlySpan)}
}

// maxWaiting bounds the spans whose parent has not ended. Children may end after their parents, which leaves them here.
const maxWaiting = 1000

// OnEnd implements trace.SpanProcessor.
func (p *printer) OnEnd(s trace.ReadOnlySpan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if parent := s.Parent(); parent.IsValid() && !parent.IsRemote() {
		if len(p.children) >= maxWaiting {
			clear(p.children)
		}
		p.children[parent.SpanID()] = append(p.children[parent.SpanID()], s)
		return
	}
	if s.SpanKind() == oteltrace.SpanKindServer {
		p.print(s, "")
	}
}

func (p *printer) print(s trace.ReadOnlySpan, indent string) {
	line := indent + s.Name()
	set := attribute.NewSet(s.Attributes()...)
	if server, ok := set.Value("cash.upstream"); ok {
		line += ", sent to " + server.AsString()
	}
	if outcome, ok := set.Value("cash.outcome"); ok {
		line += ": " + outcome.AsString()
	}
	fmt.Fprintln(p.out, line)
	id := s.SpanContext().SpanID()
	for _, child := range p.children[id] {
		p.print(child, indent+"  ")
	}
	delete(p.children, id)
}

// OnStart implements trace.SpanProcessor.
func (*printer) OnStart(context.Context, trace.ReadWriteSpan) {}

// Shutdown implements trace.SpanProcessor.
func (*printer) Shutdown(context.Context) error { return nil }

// ForceFlush implements trace.SpanProcessor.
func (*printer) ForceFlush(context.Context) error { return nil }

// printMetrics prints how many tool calls of each kind there were.
func printMetrics(ctx context.Context, out io.Writer, reader *metric.ManualReader) error {
	var data metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &data); err != nil {
		return err
	}
	var lines []string
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			durations, ok := m.Data.(metricdata.Histogram[float64])
			if !ok || !strings.HasPrefix(m.Name, "mcp.") {
				continue
			}
			for _, p := range durations.DataPoints {
				tool, called := p.Attributes.Value("gen_ai.tool.name")
				outcome, _ := p.Attributes.Value("cash.outcome")
				if called {
					lines = append(lines, fmt.Sprintf("%s  %s: %s, %d", m.Name, tool.AsString(), outcome.AsString(), p.Count))
				}
			}
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	return nil
}
