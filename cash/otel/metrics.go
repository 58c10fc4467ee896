package cashotel

import (
	"context"
	"slices"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/cash-mcp/go-sdk/registry/observe"
)

// metrics are the instruments of a hook.
type metrics struct {
	served, sent  metric.Float64Histogram // durations
	size, tokens  metric.Int64Histogram   // of results that are served
	interventions metric.Int64Counter

	labels labels
}

func newMetrics(m metric.Meter, most int) *metrics {
	var all metrics
	all.labels = labels{
		targets: names{most: most, seen: make(map[string]bool)},
		servers: names{most: maxServers, seen: make(map[string]bool)},
		known:   make(map[series][]metric.RecordOption),
	}
	handle := func(err error) {
		if err != nil {
			otel.Handle(err)
		}
	}
	var err error
	all.served, err = m.Float64Histogram(serverDuration, metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(durationBounds...),
		metric.WithDescription("Duration of a request that was served."))
	handle(err)
	all.sent, err = m.Float64Histogram(clientDuration, metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(durationBounds...),
		metric.WithDescription("Duration of a request to an upstream server."))
	handle(err)
	all.size, err = m.Int64Histogram("cash.server.result.size", metric.WithUnit("By"), metric.WithExplicitBucketBoundaries(sizeBounds...),
		metric.WithDescription("Size of a result that was served."))
	handle(err)
	all.tokens, err = m.Int64Histogram("cash.server.result.tokens", metric.WithUnit("{token}"), metric.WithExplicitBucketBoundaries(tokenBounds...),
		metric.WithDescription("Size of a result that was served, where something counts tokens."))
	handle(err)
	all.interventions, err = m.Int64Counter("cash.server.interventions", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that were repaired, gated, answered from the cache, tried again, or a dry run."))
	handle(err)
	return &all
}

// record adds a request to the metrics. Exemplars come from the span in ctx.
func (m *metrics) record(ctx context.Context, r *observe.Request) {
	s := m.labels.of(r)
	labels := m.labels.options(s)
	if r.Sent {
		m.sent.Record(ctx, r.Duration.Seconds(), labels...)
		return
	}
	m.served.Record(ctx, r.Duration.Seconds(), labels...)
	if r.ResultBytes > 0 {
		m.size.Record(ctx, int64(r.ResultBytes), labels...)
	}
	if r.Tokens > 0 {
		m.tokens.Record(ctx, int64(r.Tokens), labels...)
	}
	m.intervened(ctx, r, "repair", r.Repairs > 0)
	m.intervened(ctx, r, "gate", r.Gated)
	m.intervened(ctx, r, "cache", r.Cached)
	m.intervened(ctx, r, "retry", r.Attempts > 1)
	m.intervened(ctx, r, "dry_run", r.DryRun)
}

func (m *metrics) intervened(ctx context.Context, r *observe.Request, what string, is bool) {
	if is {
		m.interventions.Add(ctx, 1, metric.WithAttributes(interventionKey.String(what), toolKey.String(m.labels.targets.bounded(targetOf(r)))))
	}
}

// series are the labels of one time series of a histogram. All are from small sets.
type series struct {
	sent                                bool
	method, target, upstream            string
	outcome, errorType, version, netway string
}

// labels makes the labels of requests, and remembers them.
type labels struct {
	targets, servers names

	mu    sync.RWMutex
	known map[series][]metric.RecordOption
}

// maxSeries bounds the labels that are remembered. Further ones are made for each request.
const maxSeries = 4096

// maxServers is the most upstream servers that metrics tell apart.
const maxServers = 200

func (l *labels) of(r *observe.Request) series {
	s := series{sent: r.Sent, method: methodOf(r), outcome: string(r.Outcome), errorType: errorType(r), netway: r.Transport}
	if t := targetOf(r); t != "" {
		s.target = l.targets.bounded(t)
	}
	if r.Server != "" {
		s.upstream = l.servers.bounded(r.Server)
	}
	if r.Code != 0 && !usualCode(r.Code) {
		s.errorType = other // a server can invent any
	}
	if r.Version != "" {
		if s.version = r.Version; !slices.Contains(protocolVersions, r.Version) {
			s.version = other
		}
	}
	return s
}

// usualCode reports whether a code is one of JSON-RPC's own, or of those that MCP takes from the range for servers.
func usualCode(code int64) bool {
	return code == -32700 || code >= -32603 && code <= -32600 || code >= -32099 && code <= -32000
}

func (l *labels) options(s series) []metric.RecordOption {
	l.mu.RLock()
	opts, ok := l.known[s]
	l.mu.RUnlock()
	if ok {
		return opts
	}
	opts = []metric.RecordOption{metric.WithAttributeSet(s.set())}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) < maxSeries {
		l.known[s] = opts
	}
	return opts
}

func (s series) set() attribute.Set {
	a := []attribute.KeyValue{methodKey.String(s.method), outcomeKey.String(s.outcome)}
	a = appendText(a, toolKey, s.target)
	a = appendText(a, upstreamKey, s.upstream)
	a = appendText(a, semconv.ErrorTypeKey, s.errorType)
	a = appendText(a, versionKey, s.version)
	network, protocol := transport(s.netway)
	a = appendText(a, semconv.NetworkTransportKey, network)
	a = appendText(a, semconv.NetworkProtocolNameKey, protocol)
	if s.method == callMethod {
		a = append(a, operationKey.String(executeTool))
	}
	return attribute.NewSet(a...)
}

// names is a bounded set of names.
type names struct {
	most int

	mu   sync.RWMutex
	seen map[string]bool
}

// bounded returns a name, or _OTHER if there were too many before it.
func (n *names) bounded(name string) string {
	n.mu.RLock()
	seen, full := n.seen[name], len(n.seen) >= n.most
	n.mu.RUnlock()
	if seen {
		return name
	}
	if full {
		return other
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.seen) >= n.most && !n.seen[name] {
		return other
	}
	n.seen[name] = true
	return name
}
