package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
)

// greeters is a face with a tool for each of so many, and one for the boss.
type greeters int

func (g greeters) Instructions(context.Context) string { return "" }

func (g greeters) Add(srv *mcp.Server, host *serve.Host) {
	host.AddListed(srv, &serve.Listed{List: g.list, Call: g.call, Render: func(err error, _ json.RawMessage) *registry.Result {
		r := registry.TextResult("rendered: " + err.Error())
		r.IsError = true
		return r
	}})
}

func (g greeters) list(ctx context.Context, _ *mcp.ListToolsRequest) (serve.ToolList, error) {
	var names []string
	if registry.CallerFrom(ctx).HasRole("boss") {
		names = append(names, "a-secret")
	}
	for i := range int(g) {
		names = append(names, fmt.Sprintf("greet-%05d", i))
	}
	return serve.ToolList{Names: names, Tool: func(i int) *mcp.Tool {
		if names[i] == "greet-00002" && g > 3 { // it has just gone
			return nil
		}
		return &mcp.Tool{Name: names[i], InputSchema: json.RawMessage(`{"type":"object"}`)}
	}}, nil
}

func (g greeters) call(ctx context.Context, name string, req *serve.Request) (*registry.Result, error) {
	switch {
	case name == "a-secret" && registry.CallerFrom(ctx).HasRole("boss"):
		return registry.TextResult("gold"), nil
	case name == "greet-panic":
		panic("greet")
	case name == "greet-fail":
		return nil, errors.New("no")
	case strings.HasPrefix(name, "greet-"):
		return registry.TextResult(fmt.Sprintf("%s %v", req.Arguments, req.Session != nil)), nil
	}
	return nil, serve.ErrUnknownTool
}

// TestListed holds that listed tools are served as those that the SDK knows, in
// every generation, each to who sees it.
func TestListed(t *testing.T) {
	srv := serve.New(greeters(2500), &mcp.Implementation{Name: "greeters"}, nil)
	ts := httptest.NewServer(login(srv.Handler()))
	t.Cleanup(ts.Close)
	for _, v := range generations {
		anyone := dial(t, ts.URL, v, nil)
		boss := dial(t, ts.URL, v, http.Header{"X-User": {"ann"}})
		if anyone.InitializeResult().Capabilities.Tools == nil {
			t.Errorf("%s: no tools are declared", v)
		}
		for s, want := range map[*mcp.ClientSession]int{anyone: 2499, boss: 2500} {
			seen := make(map[string]bool)
			for tool, err := range s.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				seen[tool.Name] = true
			}
			if len(seen) != want {
				t.Errorf("%s: %d tools are listed; want %d", v, len(seen), want)
			}
		}
		for name, want := range map[string]string{
			"greet-1": `{"a":1} ` + fmt.Sprint(v == "2025-11-25"), "greet-fail": "rendered: no", "greet-panic": "rendered: The server failed unexpectedly",
		} {
			r, err := anyone.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(`{"a":1}`)})
			if err != nil || r.IsError != strings.HasPrefix(want, "rendered") {
				t.Fatalf("%s: %s = %+v, %v", v, name, r, err)
			}
			if text := r.Content[0].(*mcp.TextContent).Text; !strings.HasPrefix(text, want) {
				t.Errorf("%s: %s answers %q; want %q", v, name, text, want)
			}
		}
		_, hidden := anyone.CallTool(t.Context(), &mcp.CallToolParams{Name: "a-secret"})
		_, absent := anyone.CallTool(t.Context(), &mcp.CallToolParams{Name: "a-sacret"})
		if hidden == nil || hidden.Error() != strings.ReplaceAll(fmt.Sprint(absent), "sacret", "secret") {
			t.Errorf("%s: hidden: %v; absent: %v", v, hidden, absent)
		}
		if r, err := boss.CallTool(t.Context(), &mcp.CallToolParams{Name: "a-secret"}); err != nil || r.IsError {
			t.Errorf("%s: %+v, %v", v, r, err)
		}
	}
}

// TestListedBesideOthers holds that an embedder's own tools go on to work, and
// that results say what the newest protocol wants them to.
func TestListedBesideOthers(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own"}, &mcp.ServerOptions{PageSize: 1})
	for _, name := range []string{"theirs", "zz"} {
		own.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	serve.New(greeters(3), &mcp.Implementation{Name: "greeters"}, nil).AddTo(own)
	for _, v := range generations {
		near, far := mcp.NewInMemoryTransports()
		go own.Run(t.Context(), far)
		client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
		s, err := client.Connect(t.Context(), mcpclient.Tap(near, mcpclient.Options{}), &mcp.ClientSessionOptions{ProtocolVersion: v})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		var names []string
		for tool, err := range s.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != "theirs zz greet-00000 greet-00001 greet-00002" {
			t.Errorf("%s: the tools are %s", v, got)
		}
		shapes := make(map[string]string)
		for _, name := range []string{"theirs", "greet-1"} {
			ctx, exchange := mcpclient.WithExchange(t.Context())
			if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{}}); err != nil {
				t.Fatal(err)
			}
			var members map[string]any
			if err := json.Unmarshal(exchange.Result(), &members); err != nil {
				t.Fatal(err)
			}
			delete(members, "content")
			shapes[name] = fmt.Sprint(members)
		}
		if shapes["theirs"] != shapes["greet-1"] {
			t.Errorf("%s: results of the two are %v", v, shapes)
		}
	}
}

// TestHTTPModes holds who gets a session.
func TestHTTPModes(t *testing.T) {
	for _, tt := range []struct {
		mode    serve.HTTPMode
		session map[string]string // by version: negotiated, and whether there is a session
	}{
		{serve.BothGenerations, map[string]string{"2025-11-25": "2025-11-25 true", "2026-07-28": "2026-07-28 false"}},
		{serve.SessionsOnly, map[string]string{"2025-11-25": "2025-11-25 true", "2026-07-28": "2025-11-25 true"}},
		{serve.NoSessions, map[string]string{"2025-11-25": "2025-11-25 false", "2026-07-28": "2026-07-28 false"}},
	} {
		srv := serve.New(greeters(1), &mcp.Implementation{Name: "greeters"}, &serve.Options{HTTP: tt.mode})
		ts := httptest.NewServer(srv.Handler())
		t.Cleanup(ts.Close)
		for v, want := range tt.session {
			client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
			s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: ts.URL}, &mcp.ClientSessionOptions{ProtocolVersion: v})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "greet-1", Arguments: map[string]any{}})
			if err != nil {
				t.Fatal(err)
			}
			lasts := strings.HasSuffix(r.Content[0].(*mcp.TextContent).Text, " true")
			if got := fmt.Sprint(s.InitializeResult().ProtocolVersion, " ", lasts); got != want {
				t.Errorf("mode %v: a client of %s gets %s; want %s", tt.mode, v, got, want)
			}
			s.Close()
		}
	}
}
