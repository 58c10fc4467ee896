package upstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// web serves tools over HTTP, but has instead answer the requests of one method.
func web(t *testing.T, method string, instead func(w http.ResponseWriter, id json.RawMessage)) upstream.Server {
	srv := tools(map[string]mcp.ToolHandler{"get": saying("done")})
	proper := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: true})
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m)
		if m.Method == method {
			instead(w, m.ID)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		proper.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return upstream.Server{Label: "web", Endpoint: upstream.HTTP{URL: ts.URL}}
}

// refusedWith calls the tool and returns the error.
func refusedWith(t *testing.T, srv *cash.Server) (*registry.Error, *upstream.CallError) {
	t.Helper()
	_, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "web", Function: "get"})
	var e *registry.Error
	var c *upstream.CallError
	if !errors.As(err, &e) || !errors.As(err, &c) {
		t.Fatalf("the call answers %v", err)
	}
	return e, c
}

// What a caller reads of a server that could not be connected to is not what it
// would read of a call: nothing was sent, and asking for less is no help.
func TestR132AwayInItsOwnWords(t *testing.T) {
	for name, test := range map[string]struct {
		instead func(w http.ResponseWriter, id json.RawMessage)
		class   upstream.Class
		says    string
	}{
		"large": {func(w http.ResponseWriter, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[],"_meta":{"x":%q}}}`, id, strings.Repeat("x", 1<<17))
		}, upstream.TooLarge, "its tools/list answer has more than 64 KiB, which is MaxMessage"},
		"no JSON": {func(w http.ResponseWriter, _ json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "<html>")
		}, upstream.Malformed, "no proper answer"},
		"refused": {func(w http.ResponseWriter, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32004,"message":"not today"}}`, id)
		}, upstream.Refused, "not today"},
	} {
		t.Run(name, func(t *testing.T) {
			s := web(t, "tools/list", test.instead)
			s.MaxMessage = 1 << 16
			e, c := refusedWith(t, serving(t, s))
			text := e.Error()
			if c.Class != test.class || c.Sent || !e.NotRun || !strings.Contains(text, "`web` is temporarily unavailable") || !strings.Contains(text, test.says) {
				t.Errorf("class %v, sent %v: %s", c.Class, c.Sent, text)
			}
			if strings.Contains(text, "Ask for less") || strings.Contains(text, "same call") || e.Hint == "" {
				t.Errorf("the advice is %q", e.Hint)
			}
		})
	}
	t.Run("silent", func(t *testing.T) {
		s := memory("web", silent{})
		s.Timeout, s.ConnectTimeout = time.Hour, 50*time.Millisecond
		e, c := refusedWith(t, serving(t, s))
		if text := e.Error(); c.Class != upstream.TimedOut || c.Sent || strings.Contains(text, "1h") || strings.Contains(text, "Ask for less") {
			t.Errorf("class %v, sent %v: %s", c.Class, c.Sent, text)
		}
	})
}

// A redirect that is not followed says which; one that is answered when something
// was done, too, does not say that nothing was.
func TestW34RedirectedCalls(t *testing.T) {
	for _, test := range []struct {
		status int
		to     string
		notRun bool
		says   string
	}{
		{301, "/there", true, "status 301"},
		{302, "/there", false, "status 302"},
		{303, "/there", false, "status 303"},
		{307, "?again", true, "again and again"},
		{308, "https://127.0.0.2/", true, "another host"},
	} {
		srv := serving(t, web(t, "tools/call", func(w http.ResponseWriter, _ json.RawMessage) {
			w.Header().Set("Location", test.to)
			w.WriteHeader(test.status)
		}))
		e, c := refusedWith(t, srv)
		if c.Class != upstream.Redirected || e.NotRun != test.notRun || c.Sent == test.notRun || !strings.Contains(e.Message, test.says) {
			t.Errorf("status %d: class %v, sent %v: %s", test.status, c.Class, c.Sent, e.Message)
		}
		if maybe := strings.Contains(e.Message, "may have taken effect"); maybe == test.notRun {
			t.Errorf("status %d: %s", test.status, e.Message)
		}
	}
}

// All of a list is bounded, and not its tools alone.
func TestW39ListOfLargePages(t *testing.T) {
	page := []byte(`"result":{"tools":[],"_meta":{"x":"` + strings.Repeat("x", 7<<20) + `"},"nextCursor":`)
	var pages atomic.Int32
	s := web(t, "tools/list", func(w http.ResponseWriter, id json.RawMessage) {
		n := pages.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s"%d"}}`, id, page, n)
	})
	_, agg, _ := aggregate(t, nil, s)
	var e *upstream.CallError
	if st := agg.Status()[0]; !errors.As(st.Err, &e) || e.Class != upstream.TooLarge || pages.Load() > 12 {
		t.Errorf("the server is %v after %d pages: %v", st.State, pages.Load(), st.Err)
	}
}
