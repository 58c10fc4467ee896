package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// demo is a catalog of package catalog.
const demo = "../../cash/catalog/testdata/demo.json"

var (
	gatewayTools   = []string{"tool_browse", "tool_execute", "tool_view"}
	primitiveTools = []string{"prompt_browse", "prompt_get", "resource_browse", "resource_read"}
)

// The shop stands behind every face, over both transports and in both
// generations of the protocol.
func TestFaces(t *testing.T) {
	file := write(t, entry())
	for face, talk := range map[string]func(context.Context, *testing.T, *mcp.ClientSession){
		"gateway": talkToGateway, "proxy": talkToProxy, "disclosure": talkToDisclosure, "facade": talkToFacade, "plain": talkToPlain,
	} {
		t.Run(face, func(t *testing.T) {
			cmd, url := listen(t, command(t, "-config", file, "-face", face, "-http", "127.0.0.1:0"))
			for _, version := range protocolVersions {
				session := dial(t.Context(), t, &mcp.CommandTransport{Command: command(t, "-config", file, "-face", face, "-stdio")}, version)
				talk(t.Context(), t, session)
				if err := session.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
				session = dial(t.Context(), t, &mcp.StreamableClientTransport{Endpoint: url}, version)
				defer session.Close() // after the process: open sessions must not hold it up
				talk(t.Context(), t, session)
			}
			res, err := http.Get(strings.TrimSuffix(url, "/mcp") + manifest.WellKnownPath)
			if err != nil {
				t.Fatal(err)
			}
			if res.Body.Close(); res.StatusCode != http.StatusNotFound {
				t.Errorf("a manifest, which is of CaSH servers: %s", res.Status)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the process ended with %v, want exit code 0", err)
			}
			wantProcesses(t, 0)
		})
	}
}

// A catalog is served in the place of servers, or beside them.
func TestCatalog(t *testing.T) {
	recorded := []string{"-catalog", demo}
	beside := []string{"-catalog", demo, "-config", write(t, entry())}
	for _, tt := range []struct {
		face            string
		args            []string
		tool, arguments string
		want            string
	}{
		{"cash", recorded, "call", `{"namespace":"weather","function":"today","kwargs":{"city":"Oslo"}}`, "Oslo"},
		{"cash", beside, "help", `{}`, "- **shop** — "},
		{"cash", beside, "help", `{}`, "- **weather**"},
		{"gateway", recorded, "tool_browse", `{"path":"/weather"}`, "weather:today#"},
		{"gateway", beside, "tool_browse", `{"path":"/shop/orders"}`, "orders:get#"},
		{"gateway", beside, "resource_browse", `{"query":"what the project is for"}`, "resource::file:readme#"},
		{"gateway", recorded, "prompt_browse", `{"path":"/mcp"}`, "prompt::mcp:summarize#"},
		{"proxy", recorded, "tool_hydrate", `{"tool_id":"github:create_issue@1.4.0"}`, `"repo"`},
		{"facade", recorded, "WeatherExecute", `{"cmd":"today","params":{"city":"Oslo"}}`, "Oslo"},
		{"facade", beside, "ShopExecute", `{"cmd":"orders.get","params":{"order_id":"ORD-1001"}}`, "ORD-1001"},
		{"plain", recorded, "weather-today", `{"city":"Oslo"}`, "Oslo"},
	} {
		t.Run(tt.face+" "+tt.tool+tt.arguments, func(t *testing.T) {
			args := slices.Concat(tt.args, []string{"-face", tt.face, "-stdio"})
			session := dial(t.Context(), t, &mcp.CommandTransport{Command: command(t, args...)}, protocolVersions[0])
			defer session.Close()
			if got, failed := ask(t.Context(), t, session, tt.tool, tt.arguments); failed || !strings.Contains(got, tt.want) {
				t.Errorf("error %t: %s, want %q in it", failed, got, tt.want)
			}
		})
	}
}

// talkToGateway checks that the shop is behind the gateway, and that a
// connection can come back to what it has left there.
func talkToGateway(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	want := slices.Sorted(slices.Values(slices.Concat(gatewayTools, primitiveTools)))
	if got := names(ctx, t, session); !slices.Equal(got, want) {
		t.Errorf("tools: %q", got)
	}
	cards, _ := ask(ctx, t, session, "tool_browse", `{"path":"/shop/orders"}`)
	got, failed := ask(ctx, t, session, "tool_execute", execution(found(cards, `(orders:get\S*) `), `{"order_id":"ORD-1001"}`))
	if failed || !strings.Contains(got, "ORD-1001") {
		t.Errorf("error %t: %s, want the order", failed, got)
	}
	large, failed := ask(ctx, t, session, "tool_execute", execution(found(cards, `(orders:list\S*) `), `{"limit":300}`))
	handle := found(large, `"handle":"([^"]+)"`)
	if failed || handle == "" || len(large) > 3000 {
		t.Fatalf("error %t: %s, want a handle", failed, large)
	}
	rows, failed := ask(ctx, t, session, "tool_view", fmt.Sprintf(`{"handle":%q,"selector":{"type":"rows","start":299}}`, handle))
	if failed || !strings.Contains(rows, `"rows 299-300 of 300`) {
		t.Errorf("error %t: %s, want the last row", failed, rows)
	}
}

// talkToProxy checks that the shop is behind the proxy.
func talkToProxy(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	list := names(ctx, t, session)
	i := slices.IndexFunc(list, func(name string) bool { return strings.HasPrefix(name, "orders_get_") })
	if len(list) != 2+14 || i < 0 {
		t.Fatalf("tools: %q, want two and all of the shop's", list)
	}
	got, failed := ask(ctx, t, session, "tool_execute", execution(list[i], `{"order_id":"ORD-1001"}`))
	if failed || !strings.HasPrefix(got, `{"order_id":"ORD-1001"`) {
		t.Errorf("error %t: %s, want the order", failed, got)
	}
}

// talkToDisclosure checks that a tool of the shop can be called once it has been
// read of.
func talkToDisclosure(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	const tool, order = "shop-orders-get", `{"order_id":"ORD-1001"}`
	if got, failed := ask(ctx, t, session, tool, order); !failed || !strings.Contains(got, "TOOL_DESCRIPTION_REQUIRED") {
		t.Errorf("error %t: %s, want a refusal", failed, got)
	}
	if _, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=" + tool}); err != nil {
		t.Fatal(err)
	}
	wantOrder(ctx, t, session, tool, order, `{"order_id":"ORD-1001"`)
}

// talkToFacade checks that the shop is one tool.
func talkToFacade(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	if list := names(ctx, t, session); !slices.Equal(list, []string{"ShopExecute", "ToolsExecute"}) {
		t.Errorf("tools: %q", list)
	}
	wantOrder(ctx, t, session, "ShopExecute", `{"cmd":"orders.get","params":{"order_id":"ORD-1001"}}`, `{"ok":true,"cmd":"orders.get","data":{"order_id":"ORD-1001"`)
}

// talkToPlain checks that each function of the shop is a tool.
func talkToPlain(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	if list := names(ctx, t, session); len(list) != 14 {
		t.Errorf("tools: %q", list)
	}
	wantOrder(ctx, t, session, "shop-orders-get", `{"order_id":"ORD-1001"}`, `{"order_id":"ORD-1001"`)
}

func wantOrder(ctx context.Context, t *testing.T, session *mcp.ClientSession, tool, arguments, want string) {
	t.Helper()
	if got, failed := ask(ctx, t, session, tool, arguments); failed || !strings.HasPrefix(got, want) {
		t.Errorf("error %t: %s, want the order", failed, got)
	}
}

func names(ctx context.Context, t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	res, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, tool := range res.Tools {
		list = append(list, tool.Name)
	}
	slices.Sort(list)
	return list
}

// ask calls a tool and returns the text of its answer, and whether that is an
// error.
func ask(ctx context.Context, t *testing.T, session *mcp.ClientSession, tool, arguments string) (string, bool) {
	t.Helper()
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return (&registry.Result{Content: res.Content}).Text(), res.IsError
}
