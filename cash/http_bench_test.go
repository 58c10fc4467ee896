package cash_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// benchBody and benchHeader are those of a call without a session.
const benchBody = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","arguments":{"namespace":"orders","function":"create","kwargs":` + benchArgs + `},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

func benchHeader() http.Header {
	return http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"call"},
	}
}

// BenchmarkHTTP compares a round trip over HTTP by one client that keeps its connection: net/http that answers a
// constant, call without a session (2026-07-28) answered directly, and the same through the SDK's handler. Allocations
// and bytes are those of both sides.
func BenchmarkHTTP(b *testing.B) {
	body := []byte(benchBody)
	server := func(o *serve.Options) http.Handler {
		return cash.NewServer(benchRegistry(), &cash.Options{Serve: *o}).Handler()
	}
	for _, bb := range []struct {
		name    string
		handler http.Handler
	}{
		{"constant", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})},
		{"cash", server(&serve.Options{})},
		{"cash-sdk", server(&serve.Options{ThroughSDK: true})},
	} {
		b.Run(bb.name, func(b *testing.B) {
			ts := httptest.NewServer(bb.handler)
			defer ts.Close()
			client := ts.Client()
			b.ReportAllocs()
			for b.Loop() {
				req, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, ts.URL, bytes.NewReader(body))
				req.Header = benchHeader()
				res, err := client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				answer, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK || bb.name != "constant" && !bytes.Contains(answer, []byte("ORD-5822")) {
					b.Fatal(res.Status, err, string(answer))
				}
			}
		})
	}
}
