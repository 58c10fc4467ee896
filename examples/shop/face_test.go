package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Every face is the same shop over both transports, in both generations of the
// protocol.
func TestFaces(t *testing.T) {
	for _, tt := range []struct {
		face  string
		talk  func(context.Context, *testing.T, *mcp.ClientSession)
		other int // status of the manifest
	}{
		{"cash", talkTo, http.StatusOK},
		{"gateway", talkToGateway, http.StatusNotFound},
		{"proxy", talkToProxy, http.StatusNotFound},
		{"disclosure", talkToDisclosure, http.StatusNotFound},
		{"facade", talkToFacade, http.StatusNotFound},
		{"plain", talkToPlain, http.StatusNotFound},
	} {
		t.Run(tt.face, func(t *testing.T) {
			cmd, url := listen(t, "-face", tt.face, "-http", "127.0.0.1:0")
			for _, version := range protocolVersions {
				session := dial(t.Context(), t, &mcp.CommandTransport{Command: command(t, "-face", tt.face, "-stdio")}, version)
				tt.talk(t.Context(), t, session)
				if err := session.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
				session = dial(t.Context(), t, &mcp.StreamableClientTransport{Endpoint: url}, version)
				defer session.Close() // after the process: open sessions must not hold it up
				tt.talk(t.Context(), t, session)
			}
			res, err := http.Get(strings.TrimSuffix(url, "/mcp") + manifest.WellKnownPath)
			if err != nil {
				t.Fatal(err)
			}
			if res.Body.Close(); res.StatusCode != tt.other {
				t.Errorf("the manifest: %s, want %d", res.Status, tt.other)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the process ended with %v, want exit code 0", err)
			}
		})
	}
}

func TestCatalog(t *testing.T) {
	for _, tt := range []struct {
		face, tool, arguments, want string
	}{
		{"cash", "call", `{"namespace":"weather","function":"today","kwargs":{"city":"Oslo"}}`, "Oslo"},
		{"gateway", "tool_browse", `{"path":"/weather"}`, "weather:today#"},
		{"gateway", "resource_browse", `{"query":"what the project is for"}`, "resource::file:readme#"},
		{"gateway", "prompt_browse", `{"path":"/mcp"}`, "prompt::mcp:summarize#"},
		{"proxy", "tool_hydrate", `{"tool_id":"github:create_issue@1.4.0"}`, `"repo"`},
		{"facade", "WeatherExecute", `{"cmd":"today","params":{"city":"Oslo"}}`, "Oslo"},
		{"plain", "weather-today", `{"city":"Oslo"}`, "Oslo"},
	} {
		t.Run(tt.face+" "+tt.tool, func(t *testing.T) {
			transport := &mcp.CommandTransport{Command: command(t, "-face", tt.face, "-catalog", demo, "-stdio")}
			session := dial(t.Context(), t, transport, protocolVersions[0])
			defer session.Close()
			if got, failed := ask(t.Context(), t, session, tt.tool, tt.arguments); failed || !strings.Contains(got, tt.want) {
				t.Errorf("error %t: %s, want %q in it", failed, got, tt.want)
			}
		})
	}
	t.Run("tools alone", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "catalog.json")
		if err := os.WriteFile(file, []byte(`[{"name":"look"}]`), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := catalogGoods(file, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		session := connectTo(t, "gateway", g)
		defer session.Close()
		if got := names(t.Context(), t, session); !slices.Equal(got, []string{"tool_browse", "tool_execute", "tool_view"}) {
			t.Errorf("tools: %q", got)
		}
	})
}

// The next step after an error is one that the caller has.
func TestHintsOfFaces(t *testing.T) {
	const noOrder = `{"order_id":"ORD-1"}`
	for face, tt := range map[string]struct{ tool, arguments, want string }{
		"cash":       {"call", `{"namespace":"orders","function":"get","kwargs":` + noOrder + `}`, "Use `call(namespace=\"orders\", function=\"list\")` with filters"},
		"gateway":    {"tool_execute", execution("ID", noOrder, ""), "Use `tool_execute(tool_id=\\\"orders:list#"},
		"proxy":      {"tool_execute", execution("ID", noOrder, ""), "Use `tool_execute(tool_id=\\\"orders:list#"},
		"disclosure": {"orders-get", noOrder, "Use `orders-list` with filters"},
		"plain":      {"orders-get", noOrder, "Use `orders-list` with filters"},
		"facade":     {"OrdersExecute", `{"cmd":"get","params":` + noOrder + `}`, "Use `OrdersExecute(cmd=\\\"list\\\")` with filters"},
	} {
		t.Run(face, func(t *testing.T) {
			g := shopGoods(store.New(), face)
			f, err := g.tools.Function(t.Context(), "orders", "get")
			if err != nil {
				t.Fatal(err)
			}
			session := connectTo(t, face, g)
			defer session.Close()
			if face == "disclosure" {
				fetch(t.Context(), t, session, "orders-get")
			}
			got, failed := ask(t.Context(), t, session, tt.tool, strings.Replace(tt.arguments, "ID", f.ID().String(), 1))
			if !failed || !strings.Contains(got, tt.want) {
				t.Errorf("%s, want %q in it", got, tt.want)
			}
		})
	}
}

// connectTo connects a client to a face in memory.
func connectTo(t *testing.T, face string, g *goods) *mcp.ClientSession {
	t.Helper()
	session, err := connect(t.Context(), newFace(face, g))
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// talkToGateway checks that the shop is behind the gateway at the other end, and
// that a connection can come back to what it has left there.
func talkToGateway(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	if got := names(ctx, t, session); !slices.Equal(got, []string{"tool_browse", "tool_execute", "tool_view"}) {
		t.Errorf("tools: %q", got)
	}
	cards, _ := ask(ctx, t, session, "tool_browse", `{"path":"/orders"}`)
	got, failed := ask(ctx, t, session, "tool_execute", execution(found(cards, `(orders:get\S*) `), `{"order_id":"ORD-1001"}`, ""))
	if failed || !strings.Contains(got, `ORD-1001`) {
		t.Errorf("error %t: %s, want the order", failed, got)
	}
	large, failed := ask(ctx, t, session, "tool_execute", execution(found(cards, `(orders:list\S*) `), `{"limit":300}`, ""))
	handle := found(large, `"handle":"([^"]+)"`)
	if failed || handle == "" || len(large) > 3000 {
		t.Fatalf("error %t: %s, want a handle", failed, large)
	}
	if rows, failed := ask(ctx, t, session, "tool_view", `{"handle":"`+handle+`","selector":{"type":"rows","start":299}}`); failed || !strings.Contains(rows, `"rows 299-300 of 300`) {
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
	got, failed := ask(ctx, t, session, "tool_execute", execution(list[i], `{"order_id":"ORD-1001"}`, ""))
	if failed || !strings.HasPrefix(got, `{"order_id":"ORD-1001"`) {
		t.Errorf("error %t: %s, want the order", failed, got)
	}
}

// talkToDisclosure checks that a tool can be called once it has been read of.
func talkToDisclosure(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	if list := names(ctx, t, session); len(list) != 14 {
		t.Errorf("tools: %q", list)
	}
	if got, failed := ask(ctx, t, session, "orders-get", `{"order_id":"ORD-1001"}`); !failed || !strings.Contains(got, "TOOL_DESCRIPTION_REQUIRED") {
		t.Errorf("error %t: %s, want a refusal", failed, got)
	}
	args := `{"order_id":"ORD-1001"}`
	if grant := fetch(ctx, t, session, "orders-get"); grant != "" { // there is no session
		args = `{"order_id":"ORD-1001","_grant":"` + grant + `"}`
	}
	if got, failed := ask(ctx, t, session, "orders-get", args); failed || !strings.HasPrefix(got, `{"order_id":"ORD-1001"`) {
		t.Errorf("error %t: %s, want the order", failed, got)
	}
}

// fetch reads the description of a tool, and returns the grant in it, if any.
func fetch(ctx context.Context, t *testing.T, session *mcp.ClientSession, tool string) string {
	t.Helper()
	res, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=" + tool})
	if err != nil || len(res.Contents) != 1 || !strings.Contains(res.Contents[0].Text, `"inputSchema"`) {
		t.Fatalf("%+v, %v", res, err)
	}
	var tools map[string]struct {
		Usage struct {
			Grant string `json:"_grant"`
		} `json:"usage_guidance"`
	}
	if err := json.Unmarshal([]byte(res.Contents[0].Text), &tools); err != nil {
		t.Fatal(err)
	}
	return tools[tool].Usage.Grant
}

// talkToFacade checks that each domain of the shop is a tool.
func talkToFacade(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	if list := names(ctx, t, session); !slices.Equal(list, []string{"CrmExecute", "InventoryExecute", "OrdersExecute", "ToolsExecute"}) {
		t.Errorf("tools: %q", list)
	}
	got, failed := ask(ctx, t, session, "OrdersExecute", `{"cmd":"get","params":{"order_id":"ORD-1001"}}`)
	if failed || !strings.HasPrefix(got, `{"ok":true,"cmd":"get","data":{"order_id":"ORD-1001"`) {
		t.Errorf("error %t: %s, want the order", failed, got)
	}
}

// talkToPlain checks that each function of the shop is a tool.
func talkToPlain(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	if list := names(ctx, t, session); len(list) != 14 || !slices.Contains(list, "orders-retail-list") {
		t.Errorf("tools: %q", list)
	}
	if got, failed := ask(ctx, t, session, "orders-get", `{"order_id":"ORD-1001"}`); failed || !strings.HasPrefix(got, `{"order_id":"ORD-1001"`) {
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
