package config_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/config"
)

// clients is the number of clients that call during reloads. A larger run sets it.
var clients = flag.Int("clients", 8, "clients that call while the configuration is reloaded")

// A shop is an MCP server over HTTP with a few tools.
type shop struct {
	url   string
	calls atomic.Int64 // of all tools
}

func newShop(t testing.TB, name string, tools ...string) *shop {
	t.Helper()
	s := new(shop)
	srv := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
	for _, tool := range tools {
		mcp.AddTool(srv, &mcp.Tool{Name: tool, Description: "The tool " + tool + ".", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: strings.HasPrefix(tool, "get")}},
			func(_ context.Context, _ *mcp.CallToolRequest, in struct {
				N int `json:"n,omitempty"`
			}) (*mcp.CallToolResult, any, error) {
				n := s.calls.Add(1)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s of %s: n %d, call %d", tool, name, in.N, n)}}}, nil, nil
			})
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil)
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	s.url = web.URL
	return s
}

// write writes a configuration.
func write(t testing.TB, doc string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(name, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func load(t testing.TB, doc string) *config.File {
	t.Helper()
	f, err := config.Load(write(t, doc))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func start(t testing.TB, doc string, opts *config.Options) *config.Server {
	t.Helper()
	s, err := config.Start(t.Context(), load(t, doc), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// upstreams is the block of servers with these labels.
func upstreams(shops ...*shop) string {
	var b strings.Builder
	b.WriteString("upstreams:\n")
	for i, s := range shops {
		fmt.Fprintf(&b, "  - {label: %c, endpoint: %q}\n", 'a'+i, s.url)
	}
	return b.String()
}
