package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// counted is a face of so many tools, whose names begin with a word.
type counted struct {
	word string
	n    int
}

func (counted) Instructions(context.Context) string { return "" }

func (c counted) Add(srv *mcp.Server, host *serve.Host) {
	names := make([]string, c.n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%05d", c.word, i)
	}
	host.AddListed(srv, &serve.Listed{
		List: func(context.Context, *mcp.ListToolsRequest) (serve.ToolList, error) {
			return serve.ToolList{Names: names, Tool: func(i int) *mcp.Tool {
				return &mcp.Tool{Name: names[i], Description: c.word, InputSchema: json.RawMessage(`{"type":"object"}`)}
			}}, nil
		},
		Call: func(_ context.Context, name string, _ *serve.Request) (*registry.Result, error) {
			if _, ok := slices.BinarySearch(names, name); !ok {
				return nil, serve.ErrUnknownTool
			}
			return registry.TextResult(c.word), nil
		},
		Render: func(err error, _ json.RawMessage) *registry.Result { return registry.TextResult(err.Error()) },
	})
}

// TestListedFacesBesideEachOther holds that several faces and the tools of an
// embedder's own share a server: all are in the list, page by page, none twice, and
// what a name stands for there is what is called.
func TestListedFacesBesideEachOther(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own"}, &mcp.ServerOptions{PageSize: 2, SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
		c.TTLMs = int(time.Hour / time.Millisecond)
	}})
	for _, name := range []string{"a-00001", "a-00002", "b-02400", "m", "z"} {
		own.AddTool(&mcp.Tool{Name: name, Description: "own", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "own"}}}, nil
		})
	}
	for _, face := range []counted{{"a", 2500}, {"b", 2500}, {"c", 2500}, {"b", 10}} {
		serve.New(face, &mcp.Implementation{Name: face.word}, nil).AddTo(own)
	}
	for _, v := range generations {
		near, far := mcp.NewInMemoryTransports()
		go own.Run(t.Context(), far)
		s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: v})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		is := make(map[string]string)
		for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
			page, err := s.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: cursor})
			if err != nil || pages > 20 {
				t.Fatal(cursor, err)
			}
			if page.TTLMs != 0 || page.CacheScope != "private" {
				t.Errorf("%s: the page at %q may be kept: %+v", v, cursor, page.Cacheable)
			}
			for _, tool := range page.Tools {
				if is[tool.Name] != "" {
					t.Errorf("%s: %s is listed twice", v, tool.Name)
				}
				is[tool.Name] = tool.Description
			}
			cursor = page.NextCursor
		}
		if len(is) != 7502 {
			t.Errorf("%s: %d tools are listed", v, len(is))
		}
		for name, want := range map[string]string{"m": "own", "z": "own", "a-00000": "a", "a-00001": "a", "b-00003": "b", "b-02400": "b", "c-02499": "c"} {
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
			if err != nil || is[name] != want || r.Content[0].(*mcp.TextContent).Text != want {
				t.Errorf("%s: %s is listed as of %s, and answers %+v, %v", v, name, is[name], r, err)
			}
		}
		for _, cursor := range []string{"nonsense", "before:nonsense", strings.Repeat("before:", 50_000)} {
			if page, err := s.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: cursor}); err == nil {
				t.Errorf("%s: %.20s has %d tools", v, cursor, len(page.Tools))
			}
		}
	}
}
