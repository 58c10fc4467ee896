package plain_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// stream is an answer that is read while it is written.
type stream struct {
	*httptest.ResponseRecorder
	mu sync.Mutex
}

func (s *stream) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ResponseRecorder.Write(data)
}

func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Body.String()
}

// web is a client that speaks HTTP by hand, without a network.
type web struct {
	t       *testing.T
	srv     *plain.Server
	version string
	session string
}

func (w web) send(method, body string) *stream {
	req := httptest.NewRequestWithContext(w.t.Context(), method, "http://localhost/", strings.NewReader(body))
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": w.version, "Mcp-Session-Id": w.session, "Mcp-Method": "subscriptions/listen",
	} {
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	s := &stream{ResponseRecorder: httptest.NewRecorder()}
	go w.srv.Handler().ServeHTTP(s, req)
	synctest.Wait()
	return s
}

// TestListChangedLateStream holds that a client without a stream at the moment is
// told when it soon has one.
func TestListChangedLateStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		w := web{t: t, srv: plain.NewServer(reg, nil), version: "2025-11-25"}
		w.session = w.send(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`).Header().Get("Mcp-Session-Id")
		w.send(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`)
		w.send(http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`)
		reg.Namespace("n", "").Add(registry.Func("f", "", answer))
		time.Sleep(2 * time.Second)
		events := w.send(http.MethodGet, "")
		time.Sleep(time.Minute)
		if n := strings.Count(events.String(), "list_changed"); n != 1 {
			t.Errorf("told %d times: %s", n, events)
		}
		if err := w.srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestListChangedShutdownAtOnce holds that a subscription, which is a request
// without an end, does not hold up a shutdown.
func TestListChangedShutdownAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := web{t: t, srv: plain.NewServer(newShop().Registry, nil), version: "2026-07-28"}
		events := w.send(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`)
		if !strings.Contains(events.String(), `"toolsListChanged":true`) {
			t.Fatalf("not acknowledged: %d %s", events.Code, events)
		}
		before := time.Now() // in a bubble
		if err := w.srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if now := time.Now(); now != before {
			t.Errorf("the shutdown took %v", now.Sub(before))
		}
	})
}
