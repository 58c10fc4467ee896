//go:build !race

package cash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// costs are the most allocations and bytes of a call.
type costs struct{ allocations, bytes float64 }

// costOf measures f.
func costOf(f func()) costs {
	const runs = 200
	var before, after runtime.MemStats
	n := testing.AllocsPerRun(runs, f)
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return costs{n, float64(after.TotalAlloc-before.TotalAlloc) / runs}
}

func (most costs) hold(t *testing.T, f func()) {
	t.Helper()
	if is := costOf(f); is.allocations > most.allocations || is.bytes > most.bytes {
		t.Errorf("a call allocates %.0f times, %.0f bytes; at most %.0f times, %.0f bytes", is.allocations, is.bytes, most.allocations, most.bytes)
	}
}

// quiet is a hook that does nothing.
type quiet struct{}

func (quiet) Begin(ctx context.Context, _ *observe.Request) context.Context { return ctx }
func (quiet) End(context.Context, *observe.Request)                         {}

// TestCallAllocations pins what a call costs without a transport. 20 allocations are those of the handler and of
// encoding/json.
func TestCallAllocations(t *testing.T) {
	srv := benchServer()
	req := &cash.CallRequest{Namespace: "orders", Function: "create", Kwargs: json.RawMessage(benchArgs)}
	costs{38, 3_200}.hold(t, func() {
		if _, err := srv.Call(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	})
}

// TestHTTPAllocations pins what a call costs over HTTP without a session, besides net/http: the SDK reads no part of
// it, as that takes 32 KiB. A hook, an identity and a client that can be asked cost little more.
func TestHTTPAllocations(t *testing.T) {
	full := &serve.Options{Observe: quiet{}, Address: serve.RemoteAddress, AllowedHosts: []string{"shop.example"},
		Identify: func(_ context.Context, in *serve.Incoming) (*registry.Caller, error) {
			return &registry.Caller{ID: in.Header.Get("X-User")}, nil
		}}
	for name, tt := range map[string]struct {
		opts    *serve.Options
		answers string // capabilities of the client
		most    costs
	}{
		"plain":          {new(serve.Options), `{}`, costs{85, 8_000}},
		"can be asked":   {new(serve.Options), `{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}}`, costs{86, 8_000}},
		"all is checked": {full, `{"elicitation":{"form":{}}}`, costs{105, 9_500}},
	} {
		t.Run(name, func(t *testing.T) {
			body := []byte(strings.Replace(benchBody, `clientCapabilities":{}`, `clientCapabilities":`+tt.answers, 1))
			h := cash.NewServer(benchRegistry(), &cash.Options{Serve: *tt.opts}).Handler()
			data := bytes.NewReader(body)
			req := httptest.NewRequest(http.MethodPost, "http://shop.example/mcp", nil)
			req.Header, req.ContentLength = benchHeader(), int64(len(body))
			req.Header.Set("X-User", "ann")
			var w discarding
			tt.most.hold(t, func() {
				data.Reset(body)
				req.Body, w = io.NopCloser(data), discarding{header: w.header}
				h.ServeHTTP(&w, req)
				if w.status != http.StatusOK || w.bytes < 400 {
					t.Fatal(w.status, w.bytes)
				}
			})
		})
	}
}

// discarding is an [http.ResponseWriter] that allocates nothing.
type discarding struct {
	header        http.Header
	status, bytes int
}

func (w *discarding) Header() http.Header {
	if w.header == nil {
		w.header = make(http.Header)
	}
	return w.header
}

func (w *discarding) WriteHeader(status int)           { w.status = status }
func (w *discarding) SetReadDeadline(time.Time) error  { return nil }
func (w *discarding) SetWriteDeadline(time.Time) error { return nil }

func (w *discarding) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return len(p), nil
}
