package cash_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// TestBodiesFollowArguments holds that what a face takes in arguments, with something
// around it, is what it takes in a message, over HTTP in both generations.
func TestBodiesFollowArguments(t *testing.T) {
	const arguments, around = 1_000, 256 << 10
	reg := registryOf(1)
	staged := disclosure.NewServer(reg, &disclosure.Options{Serve: serve.Options{MaxArguments: arguments}})
	for name, face := range map[string]interface{ Handler() http.Handler }{
		"cash":       cash.NewServer(reg, &cash.Options{Serve: serve.Options{MaxArguments: arguments}}),
		"gateway":    gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{MaxArguments: arguments}}),
		"proxy":      gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{MaxArguments: arguments}, Mode: gateway.Proxy}),
		"facade":     facade.NewServer(reg, &facade.Options{Serve: serve.Options{MaxArguments: arguments}}),
		"plain":      plain.NewServer(reg, &plain.Options{Serve: serve.Options{MaxArguments: arguments}}),
		"disclosure": staged,
	} {
		web := httptest.NewServer(face.Handler())
		t.Cleanup(web.Close)
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			for size, large := range map[int]bool{arguments + around: false, arguments + around + 1: true} {
				const head, tail = `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"x":"`, `"}}`
				body := head + strings.Repeat("x", size-len(head)-len(tail)) + tail
				req, err := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				req.Header.Set("Mcp-Protocol-Version", version)
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				answer, _ := io.ReadAll(res.Body)
				res.Body.Close()
				if got := res.StatusCode == http.StatusRequestEntityTooLarge; got != large || !strings.Contains(string(answer), `"id":1,"error"`) {
					t.Errorf("%s, %s: %d bytes: %s %s", name, version, size, res.Status, answer)
				}
			}
		}
	}
}
