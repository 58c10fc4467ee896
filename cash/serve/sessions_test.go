package serve_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// post sends a message without a network. It returns the status and the id of the session.
func post(t *testing.T, h http.Handler, session, body string, header http.Header) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	for k, v := range header {
		r.Header[k] = v
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header().Get("Mcp-Session-Id")
}

// Sessions that have made no request end after a minute, and the others after their idle time.
func TestUnusedSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 1000
		h := cash.NewServer(whoami(), &cash.Options{Serve: serve.Options{MaxSessions: many, SessionTimeout: time.Hour}}).Handler()
		open := func() (string, bool) {
			code, id := post(t, h, "", initialize, nil)
			return id, code == http.StatusOK
		}
		goroutines := runtime.NumGoroutine()
		used, ok := open()
		if !ok {
			t.Fatal("the first session is refused")
		}
		n := 1
		for {
			id, ok := open()
			if !ok {
				break
			}
			n++
			post(t, h, id, initialized, nil) // the handshake is no use
		}
		if n != many-many/4 { // the rest is for callers that are known
			t.Errorf("%d sessions of unknown clients", n)
		}
		if code, _ := post(t, h, used, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, nil); code != http.StatusOK {
			t.Errorf("listing tools: %d", code)
		}
		time.Sleep(59 * time.Second)
		if _, ok := open(); ok {
			t.Error("there is room before the unused sessions have ended")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := runtime.NumGoroutine() - goroutines; n > 20 {
			t.Errorf("%d goroutines are left", n)
		}
		if _, ok := open(); !ok {
			t.Error("there is no room after the unused sessions have ended")
		}
		if code, _ := post(t, h, used, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`, nil); code != http.StatusOK {
			t.Errorf("the used session: %d", code)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if code, _ := post(t, h, used, `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`, nil); code != http.StatusNotFound {
			t.Errorf("the idle session: %d", code)
		}
	})
}

// A caller, or an address, cannot keep others out.
func TestSessionsPerPayer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address := func(r *http.Request) string { return r.Header.Get("X-Address") }
		srv := cash.NewServer(whoami(), &cash.Options{Serve: serve.Options{MaxSessions: 8, Address: address}})
		h := login(srv.Handler())
		var ids []string
		open := func(header http.Header, want int) {
			t.Helper()
			code, id := post(t, h, "", initialize, header)
			if code != want {
				t.Errorf("%v: %d, want %d", header, code, want)
			}
			if id != "" {
				ids = append(ids, id)
			}
		}
		for _, header := range []http.Header{{"X-User": {"ann"}}, {"X-Address": {"10.0.0.1"}}, {"X-Address": {"10.0.0.2"}}} {
			open(header, http.StatusOK)
			open(header, http.StatusOK)
			open(header, http.StatusServiceUnavailable)
		}
		open(http.Header{"X-User": {"bob"}}, http.StatusOK)
		open(http.Header{"X-User": {"bob"}}, http.StatusOK)
		open(http.Header{"X-User": {"carl"}}, http.StatusServiceUnavailable) // 8 in all
		// Who ends a session may begin another.
		r := httptest.NewRequest(http.MethodDelete, "/", nil)
		r.Header.Set("Mcp-Session-Id", ids[0])
		r.Header.Set("X-User", "ann")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		time.Sleep(2 * time.Second)
		open(http.Header{"X-User": {"ann"}}, http.StatusOK)
		for _, id := range ids {
			r := httptest.NewRequest(http.MethodDelete, "/", nil)
			r.Header.Set("Mcp-Session-Id", id)
			for _, user := range []string{"ann", "bob", ""} {
				r.Header.Set("X-User", user)
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		for i := range 2 {
			open(http.Header{"X-User": {fmt.Sprint("new", i)}}, http.StatusOK)
		}
		time.Sleep(2 * time.Minute)
	})
}
