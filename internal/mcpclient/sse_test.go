package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// oldServer speaks HTTP with events; what it does to a call is what the name of
// the tool says.
type oldServer struct {
	*httptest.Server
	mu     sync.Mutex
	stream http.ResponseWriter
	end    chan struct{}
	first  string // event
}

func newOld(t *testing.T) *oldServer {
	s := &oldServer{end: make(chan struct{}), first: "event: endpoint\ndata: messages?x=1\n\n"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *oldServer) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream == nil {
		return // the client is gone
	}
	_, _ = fmt.Fprintf(s.stream, format, args...)
	s.stream.(http.Flusher).Flush()
}

// leave ends a stream. Nothing may be written once its handler has returned.
func (s *oldServer) leave(stream http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream == stream {
		s.stream = nil
	}
}

func (s *oldServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		s.mu.Lock()
		s.stream = w
		s.mu.Unlock()
		defer s.leave(w)
		s.say("%s", s.first)
		select {
		case <-s.end:
		case <-r.Context().Done():
		}
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal(body, &m)
	if m.Method == "tools/call" {
		switch m.Params.Name {
		case "500":
			w.WriteHeader(http.StatusInternalServerError)
			return
		case "abort":
			panic(http.ErrAbortHandler)
		case "redirect":
			http.Redirect(w, r, "http://127.0.0.2:1/", http.StatusTemporaryRedirect)
			return
		}
	}
	w.WriteHeader(http.StatusAccepted)
	fat := strings.Repeat("x", 100<<10)
	switch {
	case m.Method == "initialize":
		s.say("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n\n", m.ID)
	case m.Method != "tools/call":
	case m.Params.Name == "exact":
		s.say("data: garbage\n\nevent: message\ndata: %s\n\n", answer(string(m.ID)))
	case m.Params.Name == "large":
		s.say("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"a\":\"%s\"}}\n\n", m.ID, fat)
	case m.Params.Name == "truncated":
		s.say("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\n\n", m.ID)
	case m.Params.Name == "end":
		close(s.end)
	case strings.HasPrefix(m.Params.Name, "notify "):
		var before, after int
		_, _ = fmt.Sscanf(m.Params.Name, "notify %d %d", &before, &after)
		var b strings.Builder
		notify(&b, "data: %s\n\n", before, answer(string(m.ID)), after)
		s.say("%s", b.String())
	case m.Params.Name == "flood":
		for i := range 100 {
			s.say("data: {\"jsonrpc\":\"2.0\",\"id\":\"q%d\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}\n\n", i)
		}
		s.say("data: %s\n\n", answer(string(m.ID)))
	}
}

func TestW34SSEFaults(t *testing.T) {
	s := newOld(t)
	release := make(chan struct{})
	var asked atomic.Int32
	cs := connect(t, mcpclient.SSE(s.URL+"/sse", nil, small), legacy, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			<-release
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	for tool, class := range map[string]mcpclient.Class{
		"500": mcpclient.Status, "abort": mcpclient.Lost, "redirect": mcpclient.Redirect,
		"large": mcpclient.TooLarge, "truncated": mcpclient.Malformed,
	} {
		o := call(deadline(t), cs, tool)
		t.Run(tool, func(t *testing.T) { wantClass(t, o, class, true) })
		wantFine(t, cs)
	}
	if o := call(deadline(t), cs, "flood"); o.err != nil || asked.Load() > 64 {
		t.Errorf("%v, asked %d", o.err, asked.Load())
	}
	close(release)
	if o := abandon(t, cs, "hang", (*mcpclient.Exchange).Sent); !errors.Is(o.err, context.Canceled) || !o.x.Sent() {
		t.Errorf("%v, sent %v", o.err, o.x.Sent())
	}
	wantFine(t, cs)
	wantClass(t, call(deadline(t), cs, "end"), mcpclient.Lost, true)
	if o := call(deadline(t), cs, "exact"); !errors.Is(o.err, mcp.ErrConnectionClosed) || o.x.Sent() {
		t.Errorf("afterwards: %v, sent %v", o.err, o.x.Sent())
	}
}

func TestW34SSEConnect(t *testing.T) {
	fixed := func(code int, kind, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		})
	}
	for name, test := range map[string]struct {
		h     http.Handler
		class mcpclient.Class
	}{
		"status":       {fixed(401, "", "secret"), mcpclient.Status},
		"html":         {fixed(200, "text/html", "<html>"), mcpclient.Malformed},
		"no endpoint":  {fixed(200, "text/event-stream", "data: {}\n\n"), mcpclient.Malformed},
		"ends":         {fixed(200, "text/event-stream", ""), mcpclient.Lost},
		"bad address":  {fixed(200, "text/event-stream", "event: endpoint\ndata: http://[\n\n"), mcpclient.Malformed},
		"another host": {fixed(200, "text/event-stream", "event: endpoint\ndata: http://127.0.0.2:1/\n\n"), mcpclient.Redirect},
		"large":        {fixed(200, "text/event-stream", "event: endpoint\ndata: /"+strings.Repeat("x", 9000)+"\n\n"), mcpclient.Malformed},
		"redirect":     {http.RedirectHandler("http://127.0.0.2:1/", http.StatusTemporaryRedirect), mcpclient.Redirect},
	} {
		s := httptest.NewServer(test.h)
		_, err := mcpclient.SSE(s.URL, nil, small).Connect(deadline(t))
		s.Close()
		var e *mcpclient.Error
		if !errors.As(err, &e) || e.Class != test.class {
			t.Errorf("%s: %v", name, err)
		}
	}
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hang.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := mcpclient.SSE(hang.URL, nil, small).Connect(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hang: %v", err)
	}
}
