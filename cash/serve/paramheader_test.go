package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
)

// annotated is a face with one tool, of the schema.
type annotated json.RawMessage

func (a annotated) Instructions(context.Context) string { return "" }

func (a annotated) Add(srv *mcp.Server, host *serve.Host) {
	host.AddListed(srv, &serve.Listed{
		List: func(context.Context, *mcp.ListToolsRequest) (serve.ToolList, error) {
			return serve.ToolList{Names: []string{"go"}, Tool: func(int) *mcp.Tool {
				return &mcp.Tool{Name: "go", InputSchema: json.RawMessage(a)}
			}}, nil
		},
		Call: func(context.Context, string, *serve.Request) (*registry.Result, error) {
			return nil, serve.ErrUnknownTool
		},
	})
}

// Listed tools do not ask for headers that nobody would compare with the
// arguments; their schemas are otherwise the same to the byte.
func TestListedAsksForNoHeaders(t *testing.T) {
	for name, tt := range map[string]struct{ schema, want string }{
		"none": {
			schema: `{ "type":"object","properties":{"a":{"type":"string","pattern":"^\\d+$"}}}`,
			want:   `{ "type":"object","properties":{"a":{"type":"string","pattern":"^\\d+$"}}}`,
		},
		"properties at two levels": {
			schema: `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"at":{"type":"object","properties":{"zone":{"x-mcp-header":"Zone","type":"integer","maximum":9007199254740993}}}},"required":["region"]}`,
			want:   `{"type":"object","properties":{"region":{"type":"string"},"at":{"type":"object","properties":{"zone":{"type":"integer","maximum":9007199254740993}}}},"required":["region"]}`,
		},
		"spelled with an escape": {
			schema: `{"type":"object","properties":{"region":{"type":"string","x\u002dmcp-header":"Region"}}}`,
			want:   `{"type":"object","properties":{"region":{"type":"string"}}}`,
		},
		"a property of that name, and data": {
			schema: `{"type":"object","properties":{"x-mcp-header":{"type":"string","enum":["x-mcp-header"]},"properties":{"const":{"x-mcp-header":"Region"}}}}`,
			want:   `{"type":"object","properties":{"x-mcp-header":{"type":"string","enum":["x-mcp-header"]},"properties":{"const":{"x-mcp-header":"Region"}}}}`,
		},
		"properties that are none": {
			schema: `{"type":"object","properties":{"a":true,"b":{"properties":["x-mcp-header"],"x-mcp-header":1}}}`,
			want:   `{"type":"object","properties":{"a":true,"b":{"properties":["x-mcp-header"]}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ts := httptest.NewServer(serve.New(annotated(tt.schema), &mcp.Implementation{Name: "annotated"}, nil).Handler())
			t.Cleanup(ts.Close)
			for _, v := range generations {
				transport := mcpclient.Tap(&mcp.StreamableClientTransport{Endpoint: ts.URL}, mcpclient.Options{})
				s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: v})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				ctx, exchange := mcpclient.WithExchange(t.Context())
				if _, err := s.ListTools(ctx, nil); err != nil {
					t.Fatal(err)
				}
				var list struct {
					Tools []struct{ InputSchema json.RawMessage }
				}
				if err := json.Unmarshal(exchange.Result(), &list); err != nil || len(list.Tools) != 1 {
					t.Fatalf("%s: %s, %v", v, exchange.Result(), err)
				}
				var want bytes.Buffer // the SDK leaves out blanks
				schema := tt.want
				if v < "2026" { // see forOlder
					schema = strings.ReplaceAll(schema, `"a":true`, `"a":{}`)
				}
				if err := json.Compact(&want, []byte(schema)); err != nil {
					t.Fatal(err)
				}
				if got := string(list.Tools[0].InputSchema); got != want.String() {
					t.Errorf("%s: the schema is\n%s\nwant\n%s", v, got, &want)
				}
			}
		})
	}
}
