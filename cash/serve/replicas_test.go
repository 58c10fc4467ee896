package serve_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// sessionAsked sends a request of a session without a network.
func sessionAsked(h http.Handler, method, session string) *httptest.ResponseRecorder {
	body := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if method != http.MethodPost {
		body = ""
	}
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// A request of another replica's session is told so in words, with the status after which clients start anew. The id
// is not repeated.
func TestSessionOfAnotherReplica(t *testing.T) {
	for name, opts := range map[string]serve.Options{"both": {}, "sessions": {HTTP: serve.SessionsOnly}} {
		t.Run(name, func(t *testing.T) {
			one, other := cash.NewServer(whoami(), &cash.Options{Serve: opts}).Handler(), cash.NewServer(whoami(), &cash.Options{Serve: opts}).Handler()
			code, session := post(t, one, "", initialize, nil)
			if code != http.StatusOK || session == "" {
				t.Fatalf("%d, %q", code, session)
			}
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
				w := sessionAsked(other, method, session)
				if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
					t.Errorf("%s: %d, %v", method, w.Code, w.Header())
				}
				text := w.Body.String()
				for _, words := range []string{"another process", "Initialize a new one", "Mcp-Session-Id", "without sessions"} {
					if strings.Count(text, words) != 1 {
						t.Errorf("%s: %q does not say %q", method, text, words)
					}
				}
				if strings.Contains(text, session) || strings.Contains(text, "session not found") {
					t.Errorf("%s: %q", method, text)
				}
			}
			if w := sessionAsked(one, http.MethodPost, session); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "call") {
				t.Errorf("on its own replica: %d, %s", w.Code, w.Body)
			}
		})
	}
}

// A client that comes to another replica learns that its session is gone, and a new one works there.
func TestClientOfAnotherReplica(t *testing.T) {
	replicas := [2]http.Handler{}
	for i := range replicas {
		replicas[i] = cash.NewServer(whoami(), nil).Handler()
	}
	var at atomic.Int32
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { replicas[at.Load()].ServeHTTP(w, r) }))
	t.Cleanup(ts.Close)
	connect := func() *mcp.ClientSession {
		client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
		transport := &mcp.StreamableClientTransport{Endpoint: ts.URL, DisableStandaloneSSE: true}
		session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session
	}
	session := connect()
	at.Store(1)
	if _, err := session.ListTools(t.Context(), nil); !errors.Is(err, mcp.ErrSessionMissing) {
		t.Errorf("on the other replica: %v", err)
	}
	if list, err := connect().ListTools(t.Context(), nil); err != nil || len(list.Tools) != 3 {
		t.Errorf("in a new session: %v", err)
	}
}

// Without sessions, requests of an older client may go to a replica each.
func TestNoSessionsOnReplicas(t *testing.T) {
	opts := &cash.Options{Serve: serve.Options{HTTP: serve.NoSessions}}
	replicas := [3]http.Handler{}
	for i := range replicas {
		replicas[i] = cash.NewServer(whoami(), opts).Handler()
	}
	var requests atomic.Int32
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		replicas[requests.Add(1)%3].ServeHTTP(w, r)
	}))
	t.Cleanup(ts.Close)
	for _, version := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
		client := (&cashtest.Dialer{Version: version}).ConnectHTTP(t, ts.URL)
		for range 4 {
			client.Call("", "whoami", nil).OK()
		}
	}
}

// A server that is to stop is not ready, and still serves.
func TestRetire(t *testing.T) {
	srv := cash.NewServer(whoami(), nil)
	ts := httptest.NewServer(srv.Handler())
	t.Cleanup(ts.Close)
	srv.Retire()
	w := httptest.NewRecorder()
	srv.ReadyHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("ready: %d", w.Code)
	}
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		(&cashtest.Dialer{Version: version}).ConnectHTTP(t, ts.URL).Call("", "whoami", nil).OK()
	}
}
