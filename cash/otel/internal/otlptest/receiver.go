// Package otlptest receives telemetry in tests: spans and metrics that real exporters send over OTLP.
package otlptest

import (
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A Receiver is an OTLP receiver over HTTP with protobuf on loopback. It is safe for concurrent use.
type Receiver struct {
	URL string // for OTEL_EXPORTER_OTLP_ENDPOINT

	mu      sync.Mutex
	spans   []Span
	points  map[string][]Point // of the last export of each service, by service and name
	arrived chan struct{}      // closed at the next arrival
}

// A Span is a span as it arrived. Ids are in hex; Parent is empty for a root.
type Span struct {
	Service            string
	Name               string
	Kind               string // server, client, internal
	Trace, ID, Parent  string
	Links              []string // ids of the linked spans
	Failed             bool
	StatusText, Events string
	Attributes         map[string]string
	State              string // tracestate
}

// A Point is a value of a metric with its attributes: the count of a histogram, or the value of all others.
type Point struct {
	Metric     string
	Attributes map[string]string
	Value      float64
	Sum        float64 // of a histogram
}

// New starts a receiver. It ends with the test.
func New(t testing.TB) *Receiver {
	r := &Receiver{points: make(map[string][]Point), arrived: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, req *http.Request) {
		var m collectortrace.ExportTraceServiceRequest
		r.take(t, w, req, &m, &collectortrace.ExportTraceServiceResponse{}, func() { r.addSpans(&m) })
	})
	mux.HandleFunc("POST /v1/metrics", func(w http.ResponseWriter, req *http.Request) {
		var m collectormetrics.ExportMetricsServiceRequest
		r.take(t, w, req, &m, &collectormetrics.ExportMetricsServiceResponse{}, func() { r.addPoints(&m) })
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	r.URL = srv.URL
	return r
}

// maxExport bounds the body of an export.
const maxExport = 16 << 20

func (r *Receiver) take(t testing.TB, w http.ResponseWriter, req *http.Request, m, answer proto.Message, add func()) {
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unzipped
	}
	data, err := io.ReadAll(io.LimitReader(body, maxExport))
	if err == nil {
		err = proto.Unmarshal(data, m)
	}
	if kind := req.Header.Get("Content-Type"); err == nil && kind != "application/x-protobuf" {
		err = fmt.Errorf("the content type is %s", kind)
	}
	if err != nil {
		t.Errorf("%s: %v", req.URL.Path, err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	add()
	close(r.arrived)
	r.arrived = make(chan struct{})
	r.mu.Unlock()
	out, _ := proto.Marshal(answer)
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(out)
}

func (r *Receiver) addSpans(m *collectortrace.ExportTraceServiceRequest) {
	for _, rs := range m.GetResourceSpans() {
		service := serviceName(rs.GetResource())
		for _, ss := range rs.GetScopeSpans() {
			for _, s := range ss.GetSpans() {
				r.spans = append(r.spans, newSpan(service, s))
			}
		}
	}
}

func newSpan(service string, s *trace.Span) Span {
	out := Span{
		Service: service, Name: s.GetName(), Kind: strings.ToLower(strings.TrimPrefix(s.GetKind().String(), "SPAN_KIND_")),
		Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
		Failed: s.GetStatus().GetCode() == trace.Status_STATUS_CODE_ERROR, StatusText: s.GetStatus().GetMessage(),
		Attributes: attributes(s.GetAttributes()), State: s.GetTraceState(),
	}
	for _, l := range s.GetLinks() {
		out.Links = append(out.Links, hex.EncodeToString(l.GetSpanId()))
	}
	return out
}

func (r *Receiver) addPoints(m *collectormetrics.ExportMetricsServiceRequest) {
	for _, rm := range m.GetResourceMetrics() {
		service := serviceName(rm.GetResource())
		r.points[service] = nil
		for _, sm := range rm.GetScopeMetrics() {
			for _, one := range sm.GetMetrics() {
				r.points[service] = append(r.points[service], points(one)...)
			}
		}
	}
}

func points(m *metrics.Metric) (all []Point) {
	for _, p := range m.GetHistogram().GetDataPoints() {
		all = append(all, Point{m.GetName(), attributes(p.GetAttributes()), float64(p.GetCount()), p.GetSum()})
	}
	for _, p := range slices.Concat(m.GetSum().GetDataPoints(), m.GetGauge().GetDataPoints()) {
		all = append(all, Point{m.GetName(), attributes(p.GetAttributes()), p.GetAsDouble() + float64(p.GetAsInt()), 0})
	}
	return all
}

func serviceName(r *resource.Resource) string { return attributes(r.GetAttributes())["service.name"] }

func attributes(list []*common.KeyValue) map[string]string {
	m := make(map[string]string, len(list))
	for _, kv := range list {
		switch v := kv.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			m[kv.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			m[kv.GetKey()] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_BoolValue:
			m[kv.GetKey()] = fmt.Sprint(v.BoolValue)
		default:
			m[kv.GetKey()] = kv.GetValue().String()
		}
	}
	return m
}

// waitLimit bounds a wait for telemetry, in all.
const waitLimit = 30 * time.Second

// Spans waits until the spans that have arrived satisfy enough, and returns them all. The test fails if they do not.
func (r *Receiver) Spans(t testing.TB, enough func([]Span) bool) []Span {
	t.Helper()
	late := time.After(waitLimit)
	for {
		r.mu.Lock()
		spans, next := slices.Clone(r.spans), r.arrived
		r.mu.Unlock()
		if enough(spans) {
			return spans
		}
		select {
		case <-next:
		case <-late:
			t.Fatalf("of the spans, there are only:\n%s", Tree(spans))
		}
	}
}

// Points returns the points of a service's last export, of the metric with that name, or of all if it is empty.
func (r *Receiver) Points(service, name string) []Point {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []Point
	for _, p := range r.points[service] {
		if name == "" || p.Metric == name {
			found = append(found, p)
		}
	}
	return found
}

// Tree draws spans with their children below them, in alphabetical order: name, kind and service of each. Spans whose
// parent is not among them stand at the left.
func Tree(spans []Span) string {
	children, known := make(map[string][]Span), make(map[string]bool)
	for _, s := range spans {
		known[s.ID] = true
	}
	for _, s := range spans {
		parent := s.Parent
		if !known[parent] {
			parent = ""
		}
		children[parent] = append(children[parent], s)
	}
	var draw func(parent, indent string) string
	draw = func(parent, indent string) string {
		var trees []string
		for _, s := range children[parent] {
			trees = append(trees, fmt.Sprintf("%s%s %s (%s)\n%s", indent, s.Name, s.Kind, s.Service, draw(s.ID, indent+"  ")))
		}
		slices.Sort(trees)
		return strings.Join(trees, "")
	}
	return draw("", "")
}
