package plain_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestOnTheWire holds that lists and results are, byte for byte, what the SDK sends
// of tools that it has itself; but for lists being nobody else's, and the skills extension.
func TestOnTheWire(t *testing.T) {
	impl, opts := &mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}}
	theirs, ours, reg := mcp.NewServer(impl, opts), mcp.NewServer(impl, opts), registry.New(nil)
	text := []mcp.Content{&mcp.TextContent{Text: "<x>"}}
	asked := mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "?", RequestedSchema: map[string]any{"type": "object"}}}
	results := map[string]*registry.Result{
		"text":       {Content: text},
		"nothing":    {},
		"empty":      {Content: []mcp.Content{}},
		"failed":     {Content: text, IsError: true},
		"both":       {Content: text, Structured: json.RawMessage(`{"b":1.50,"a":"<"}`)},
		"structured": {Structured: json.RawMessage(`{"b":1.50}`)},
		"meta":       {Content: text, Meta: map[string]any{"a": "b"}},
		"asks":       {InputRequests: asked, RequestState: "s"}, // by 2026-07-28 only
	}
	for name, r := range results {
		tool := &mcp.Tool{Name: name, Description: "Does " + name + ".", InputSchema: json.RawMessage(`{"type":"object"}`)}
		theirs.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res := &mcp.CallToolResult{Content: r.Content, IsError: r.IsError, Meta: r.Meta, InputRequests: r.InputRequests, RequestState: r.RequestState}
			if r.Structured != nil {
				res.StructuredContent = r.Structured
			}
			return res, nil
		})
		raw(reg, "", name, func(context.Context, *registry.Call) (*registry.Result, error) { return r, nil })
	}
	plain.NewServer(reg, nil).AddTo(ours)
	for _, l := range links {
		want, got := wire(t, l, theirs), wire(t, l, ours)
		caps := *want.InitializeResult().Capabilities
		caps.Resources = &mcp.ResourceCapabilities{}
		caps.AddExtension("io.modelcontextprotocol/skills", map[string]any{"directoryRead": true})
		w, g := toJSON(caps), toJSON(got.InitializeResult().Capabilities)
		if w != g {
			t.Errorf("%s: capabilities\n%s\n%s", l, g, w)
		}
		for name := range results {
			if name == "asks" && l.Version < "2026" {
				continue
			}
			ask := func(ctx context.Context, s *mcp.ClientSession) error {
				_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name})
				return err
			}
			if g, w := exchanged(t, got, ask), exchanged(t, want, ask); g != w {
				t.Errorf("%s: %s\n%s\n%s", l, name, g, w)
			}
		}
		list := func(ctx context.Context, s *mcp.ClientSession) error {
			_, err := s.ListTools(ctx, nil)
			return err
		}
		if g, w := exchanged(t, got, list), exchanged(t, want, list); g != strings.Replace(w, `"public"`, `"private"`, 1) {
			t.Errorf("%s: tools/list\n%s\n%s", l, g, w)
		}
	}
}

// wire connects to a server of the embedder's own.
func wire(t *testing.T, l cashtest.Link, srv *mcp.Server) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	var transport mcp.Transport = near
	if l.HTTP {
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: l.Version > "2026"}))
		t.Cleanup(web.Close)
		transport = &mcp.StreamableClientTransport{Endpoint: web.URL}
	} else {
		go srv.Run(t.Context(), far)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}})
	s, err := client.Connect(t.Context(), mcpclient.Tap(transport, mcpclient.Options{}), &mcp.ClientSessionOptions{ProtocolVersion: l.Version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// exchanged is the result of a request as it came.
func exchanged(t *testing.T, s *mcp.ClientSession, ask func(context.Context, *mcp.ClientSession) error) string {
	t.Helper()
	ctx, exchange := mcpclient.WithExchange(t.Context())
	if err := ask(ctx, s); err != nil {
		t.Error(err)
	}
	return string(exchange.Result())
}
