package config_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/config"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// Reloads change servers and controls under clients of both generations. No call is lost, and each gets its own answer.
func TestReloadUnderLoad(t *testing.T) {
	a, b, other := newShop(t, "a", "get_a"), newShop(t, "b", "get_b"), newShop(t, "b", "get_b")
	docs := []string{
		"retry: {max_attempts: 2}\n" + upstreams(a, b),
		upstreams(a, other) + "  - {label: c, endpoint: '" + b.url + "'}\n",
		"cache: {read_only: true}\npolicy: {rules: [{decision: deny, tools: [a.nothing, a.get_a], callers: [nobody]}]}\n" + upstreams(a, b),
		"rate_limits: {tools: {a.get_a: {max_calls_per_minute: 1000000}}}\n" + upstreams(a, other) + "    timeout: 20s\n",
	}
	docs[2] = strings.Replace(docs[2], "a.nothing, ", "", 1)
	docs[3] = strings.Replace(docs[3], "}\n    timeout: 20s", ", timeout: 20s}", 1)
	for i, doc := range docs { // by default, calls beyond 16 at a time wait and are refused at last
		docs[i] = "start_timeout: 1m\n" + strings.ReplaceAll(doc, "endpoint:", "concurrency: 1000, endpoint:")
	}
	s := start(t, docs[0], nil)
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close) // after the sessions, whose streams it waits for

	var done atomic.Bool
	made := make(chan struct{})
	var calls, lost atomic.Int64
	var wg sync.WaitGroup
	for i := range *clients {
		name, tool := "a", "get_a"
		if i%2 == 1 {
			name, tool = "b", "get_b"
		}
		c := connect(t, web.URL+"/mcp", i)
		wg.Go(func() {
			for n := 1; !done.Load(); n++ {
				r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
					"namespace": name, "function": tool, "kwargs": map[string]any{"n": i*1000 + n},
				}})
				calls.Add(1)
				select {
				case made <- struct{}{}:
				default:
				}
				if err != nil || r.IsError || !strings.Contains(fmt.Sprint(r.Content[0].(*mcp.TextContent).Text), fmt.Sprintf("%s of %s: n %d,", tool, name, i*1000+n)) {
					if lost.Add(1) < 5 {
						t.Errorf("call %d of client %d: %v, %+v", n, i, err, r)
					}
				}
			}
		})
	}
	steady := since(s, "a")
	for i := range 8 {
		for range *clients { // each reload meets calls
			<-made
		}
		began := time.Now()
		if err := s.Reload(t.Context(), load(t, docs[(i+1)%len(docs)])); err != nil {
			t.Errorf("reload %d: %v", i, err)
		}
		t.Logf("reload %d took %v", i, time.Since(began).Round(time.Millisecond))
	}
	done.Store(true)
	wg.Wait()
	if lost.Load() > 0 {
		t.Errorf("%d of %d calls were lost", lost.Load(), calls.Load())
	}
	if since(s, "a") != steady {
		t.Error("the server a, whose entry has not changed, was connected again")
	}
	t.Logf("%d calls of %d clients", calls.Load(), *clients)
}

// connect returns a client of one generation or the other.
func connect(t *testing.T, url string, i int) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "load", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{
		ProtocolVersion: []string{"2025-11-25", "2026-07-28"}[i/2%2],
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// since returns when the server at a label was connected, and to what.
func since(s *config.Server, label string) string {
	for _, st := range s.Status() {
		if st.Labels[0] == label && st.State == upstream.Connected {
			return st.Since.String() + st.Endpoint
		}
	}
	return "not connected"
}

// A reload changes rules at once, for clients that are connected. One that fails changes nothing and says why.
func TestReload(t *testing.T) {
	a, b := newShop(t, "a", "get_a", "put_a"), newShop(t, "b", "get_b")
	first := upstreams(a)
	s := start(t, first, nil)
	c := cashtest.Connect(t, s)
	ok := func(namespace, function string, want bool) {
		t.Helper()
		if r := c.Call(namespace, function, nil); r.IsError == want {
			t.Errorf("%s.%s: %s", namespace, function, r.Text)
		}
	}
	reload := func(doc, want string) {
		t.Helper()
		switch err := s.Reload(t.Context(), load(t, doc)); {
		case err == nil && want != "" || err != nil && want == "", err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ok("a", "put_a", true)
	const deny = "policy: {rules: [{decision: deny, tools: ['a.put_*']}]}\n"
	reload(deny+first, "")
	ok("a", "put_a", false)
	ok("a", "get_a", true)
	steady := since(s, "a")

	for _, tt := range []struct{ doc, want string }{
		{"name: other\nface: plain\n" + first, "a running server cannot change face, name: start it anew"},
		{"policy: {rules: [{decision: deny, tools: [a.gone]}]}\n" + first, `:1:18: policy.rules[0]: no function matches the tool "a.gone"`},
		{"start: strict\n" + first + "  - {label: z, command: [no-such-program-at-all]}\n", "z: the server is down"},
		{first + "  - {label: z, required: true, command: [no-such-program-at-all]}\n", "z: the server is down"},
		{strings.Replace(first, a.url, "http://127.0.0.1:1", 1), "a: the server is down"},
	} {
		reload(tt.doc, tt.want)
		ok("a", "put_a", false)
	}
	reload(deny+upstreams(a, b), "")
	if since(s, "a") != steady {
		t.Error("an unchanged server was connected again")
	}
	s.Wait(t.Context())
	ok("b", "get_b", true)
	reload("rate_limits: {tools: {a.get_a: {max_calls_per_session: 2}}}\n"+first, "")
	ok("b", "get_b", false)
	ok("a", "put_a", true)
	ok("a", "get_a", true)
	ok("a", "get_a", true)
	ok("a", "get_a", false)
	reload("rate_limits: {tools: {a.get_a: {max_calls_per_session: 3}}}\n"+first, "")
	ok("a", "get_a", true)
	ok("a", "get_a", false) // what was counted before counts
	reload(first, "")
	ok("a", "get_a", true)

	before := a.calls.Load()
	reload("cache: {read_only: true, ttl: 1h}\n"+first, "")
	for range 3 {
		ok("a", "get_a", true)
	}
	if n := a.calls.Load() - before; n != 1 {
		t.Errorf("%d calls with a cache", n)
	}
	reload(strings.Replace(first, "}", ", exclude_tools: [put_a]}", 1), "")
	ok("a", "put_a", false)
	ok("a", "get_a", true)
}
