package cash_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/serve"
)

// TestBodiesFollowArguments holds that what a face takes in arguments, with something
// around it, is what it takes in a message, over HTTP in both generations.
func TestBodiesFollowArguments(t *testing.T) {
	const arguments, around = 1_000, 256 << 10
	reg := registryOf(1)
	for name, newFace := range faces {
		web := httptest.NewServer(newFace(reg, serve.Options{MaxArguments: arguments}).Handler())
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
