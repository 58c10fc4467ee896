//go:build realclients

package realclients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// MCP Inspector connects anew for each call. A large result is drilled into by
// whoever was given its handle: an identified caller in any generation, and
// without sessions the bearer of the handle (W32, W33).
func TestW33GatewayDrill(t *testing.T) {
	root := files(t)
	orders := writeOrders(t, root)
	m := mount(t, upstream.Server{Label: "files", Endpoint: root.endpoint()})
	identified := serveInProcess(t, gateway.NewServer(m.reg, &gateway.Options{Serve: serve.Options{
		VerifyToken: func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
			if token != "ada" && token != "bob" {
				return nil, auth.ErrInvalidToken
			}
			return &auth.TokenInfo{UserID: token}, nil
		},
		Token: &auth.RequireBearerTokenOptions{AllowMissingExpiration: true},
	}}))
	for _, era := range eras {
		t.Run("with a token, "+era, func(t *testing.T) {
			as := func(token string) inspector {
				return inspector{[]string{identified, "--header", "Authorization: Bearer " + token}, era}
			}
			handle := drill(t, as("ada").ask, orders)
			if got := as("bob").ask(t, true, "tool_view", view(handle, `{"type":"head"}`)); !strings.Contains(got, "VIEW_FAILED") {
				t.Errorf("somebody else's artifact: %s", got)
			}
		})
	}
	anonymous := serveHTTP(t, aggregator, "-config", writeConfig(t, root.entry()), "-face", "gateway")
	t.Run("anonymous, modern", func(t *testing.T) {
		drill(t, inspector{[]string{anonymous}, "modern"}.ask, orders)
	})
	t.Run("anonymous, legacy: a handle ends with its session", func(t *testing.T) {
		in := inspector{[]string{anonymous}, "legacy"}
		handle, _ := large(t, in.ask, orders)
		if got := in.ask(t, true, "tool_view", view(handle, `{"type":"head"}`)); !strings.Contains(got, "VIEW_FAILED") {
			t.Errorf("the artifact of another session: %s", got)
		}
	})
}

// face is a server of this process.
type face interface {
	Handler() http.Handler
	Shutdown(context.Context) error
}

// serveInProcess serves a face for the length of the test.
func serveInProcess(t *testing.T, srv face) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	ts := httptest.NewServer(mux)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil {
			t.Errorf("stopping the server: %v", err)
		}
		ts.Close()
	})
	return ts.URL + "/mcp"
}

// The same through one connection of the SDK's client, where handles live as
// long as that.
func TestW33GatewayConnection(t *testing.T) {
	root := files(t)
	orders := writeOrders(t, root)
	config := writeConfig(t, everything().entry(), root.entry(), memory(t).entry())
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			cmd := exec.Command(aggregator, "-config", config, "-face", "gateway", "-stdio")
			c := connect(t, &mcp.CommandTransport{Command: cmd}, version)
			browse(t, c.ask)
			execute(t, c.ask)
			primitives(t, c.ask)
			handle := drill(t, c.ask, orders)
			if got := whole(t, c.ask, handle); got != string(orders) {
				t.Errorf("the pages together are %d bytes, and not the %d of the file", len(got), len(orders))
			}
		})
	}
}

// whole puts a text together from its pages.
func whole(t *testing.T, ask asker, handle string) string {
	t.Helper()
	var all strings.Builder
	next := json.RawMessage(`{"type":"head"}`)
	for pages := 0; len(next) > 0 && pages < 1000; pages++ {
		var page struct {
			Text string          `json:"text"`
			Next json.RawMessage `json:"next"`
		}
		decode(t, ask(t, false, "tool_view", view(handle, string(next))), &page)
		all.WriteString(page.Text)
		next = page.Next
	}
	return all.String()
}

// writeOrders puts a large document into the folder of a server of files.
func writeOrders(t *testing.T, s server) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("{\n \"total\": 1500,\n \"orders\": [\n")
	for i := range 1500 {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `  {"order_id": "ORD-%d", "customer_id": "C-%d", "city": "Tromsø", "notes": "%s"}`, 1000+i, i%97, strings.Repeat("tea ", 20))
	}
	b.WriteString("\n ]\n}\n")
	if err := os.WriteFile(filepath.Join(s.root, "orders.json"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// large reads the document, which is not put in front of the model, and returns
// the handle of its text, and the envelope.
func large(t *testing.T, ask asker, orders []byte) (string, envelope) {
	t.Helper()
	text := ask(t, false, "tool_execute", execution(idOf(t, ask, "files", "read_text_file"), `{"path":"orders.json"}`, ""))
	if n := utf8.RuneCountInString(text); n > 4000 {
		t.Errorf("the envelope of %d bytes has %d characters", len(orders), n)
	}
	var env envelope
	decode(t, text, &env)
	for _, a := range env.Artifacts {
		if a.Size == len(orders) && a.MediaType == "application/json" {
			return a.Handle, env
		}
	}
	t.Fatalf("no artifact is the document: %s", text)
	return "", env
}

func view(handle, selector string) string {
	return fmt.Sprintf(`{"handle":%q,"selector":%s}`, handle, selector)
}

// drill reads the document and looks into it by its handle, which it returns.
func drill(t *testing.T, ask asker, orders []byte) string {
	t.Helper()
	handle, env := large(t, ask, orders)
	for _, tt := range []struct{ selector, want string }{
		{`{"type":"head","chars":100}`, `"text":"{\n \"total\": 1500,\n`},
		{`{"type":"lines","start":1402,"end":1404}`, `"view":"lines 1402-1404 of 1505"`},
		{`{"type":"rows","start":1498,"columns":["order_id","city"]}`, `"data":[{"order_id":"ORD-2498","city":"Tromsø"},{"order_id":"ORD-2499","city":"Tromsø"}]`},
		{`{"type":"json_keys"}`, `"orders":"array of 1500 objects"`},
		{`{"type":"path","path":"$.orders[?@.order_id=='ORD-1777'].customer_id"}`, `"C-1"`},
		{`{"type":"search","query":"ord-2345","context":1}`, `ORD-2346`},
	} {
		got := ask(t, false, "tool_view", view(handle, tt.selector))
		if !strings.Contains(got, tt.want) || utf8.RuneCountInString(got) > 8000 {
			t.Errorf("view %s has no %s:\n%.2000s", tt.selector, tt.want, got)
		}
	}
	for _, v := range env.Views {
		ask(t, false, "tool_view", view(v.Handle, string(v.Selector)))
	}
	if got := ask(t, true, "tool_view", view(handle, `{"type":"rows","path":"$.nothing"}`)); !strings.Contains(got, "VIEW_FAILED") {
		t.Errorf("a view of what is not there: %s", got)
	}
	return handle
}
