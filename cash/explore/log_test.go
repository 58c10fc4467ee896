package explore_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// talk serves reg with the log, and makes calls as a client of the SDK.
func talk(t *testing.T, reg *registry.Registry, log *explore.Log) {
	t.Helper()
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: log, Middleware: []registry.Middleware{log.Middleware}}})
	near, far := mcp.NewInMemoryTransports()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Run(t.Context(), far)
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "client"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		`{"namespace":"orders","function":"create","kwargs":{"customer":"C-77","note":"password=hunter2secret"}}`,
		`{"namespace":"orders","function":"create","kwargs":{}}`,
		`{"namespace":"orders","function":"fail"}`,
	} {
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: json.RawMessage(args)}); err != nil {
			t.Fatal(err)
		}
	}
	session.Close()
	<-ended
}

func TestLog(t *testing.T) {
	reg, log := shop(new(int)), explore.NewLog(nil)
	b := open(t, reg, &explore.Options{Log: log})
	has(t, b.get("log"), "No request yet")
	talk(t, reg, log)
	has(t, b.get("log"), "tools/call", "orders.create", "orders.fail", "INVALID_ARGUMENTS", "FAILED", "ok", "memory", "!C-77", "!hunter2")
	has(t, b.get("log?part=1"), "orders.create", "!<header")
}

// TestLogArguments keeps arguments, without secrets, if that is switched on.
func TestLogArguments(t *testing.T) {
	reg, log := shop(new(int)), explore.NewLog(&explore.LogOptions{Arguments: true})
	b := open(t, reg, &explore.Options{Log: log})
	talk(t, reg, log)
	has(t, b.get("log"), "C-77", "!hunter2", "redacted and cut")
}

// TestLogBounds keeps the latest requests, without what clients send at length.
func TestLogBounds(t *testing.T) {
	log := explore.NewLog(&explore.LogOptions{Entries: 3})
	b := open(t, shop(new(int)), &explore.Options{Log: log})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				r := observe.Request{Method: "tools/call", Owner: strings.Repeat("o", 1000), Header: http.Header{"Authorization": {"Bearer secret"}}, Meta: map[string]any{"big": "secret"}}
				log.End(log.Begin(t.Context(), &r), &r)
			}
		})
	}
	group.Wait()
	r := observe.Request{Method: "latest/one"}
	log.Begin(t.Context(), &r)
	log.End(t.Context(), &r) // of a request that did not begin here
	page := b.get("log?part=1")
	has(t, page, "latest/one", "running", "!secret", "!"+strings.Repeat("o", 100))
	if n := strings.Count(page, "<tr>"); n != 4 {
		t.Errorf("%d rows, want the head and three", n)
	}
	if strings.Index(page, "latest/one") > strings.Index(page, "tools/call") {
		t.Error("the latest request is not the first")
	}
}
