package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// A server is ready until its shutdown begins, not until it ends, and alive in any case.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		release := make(chan struct{})
		reg.Namespace("", "").Add(registry.Func("wait", "Wait.", func(context.Context, struct{}) (string, error) {
			<-release
			return "done", nil
		}))
		srv := cash.NewServer(reg, nil)
		got := func(h http.Handler, method string) int {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
			if w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%v", w.Header())
			}
			return w.Code
		}
		want := func(live, ready int) {
			t.Helper()
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				if l, r := got(srv.LiveHandler(), method), got(srv.ReadyHandler(), method); l != live || r != ready {
					t.Errorf("%s: %d and %d, want %d and %d", method, l, r, live, ready)
				}
			}
		}
		want(200, 200)
		if code := got(srv.ReadyHandler(), http.MethodPost); code != http.StatusMethodNotAllowed {
			t.Errorf("POST: %d", code)
		}
		ours, theirs := mcp.NewInMemoryTransports()
		go func() { _ = srv.Run(t.Context(), theirs) }()
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), ours, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		go func() {
			_, _ = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"function": "wait"}})
		}()
		synctest.Wait()
		done := make(chan error)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			done <- srv.Shutdown(ctx)
		}()
		synctest.Wait()
		want(200, 503)
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
		want(200, 503)
	})
}
