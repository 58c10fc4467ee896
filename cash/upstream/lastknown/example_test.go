package lastknown_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/registry"
)

// A new replica serves what another one has read of a server that is away now.
func Example() {
	files := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	files.AddTool(&mcp.Tool{Name: "read", Description: "Read a file.", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return files }, nil))
	catalogs := lastknown.NewMemory(0, nil) // replicas share one over Redis: redis.Client.Catalogs

	replica := func() (*upstream.Aggregator, *cash.Server) {
		reg := registry.New(nil)
		agg := upstream.New(reg, &upstream.Options{Catalogs: catalogs})
		if err := agg.Add(upstream.Server{Label: "files", Endpoint: upstream.HTTP{URL: web.URL}, Lazy: true}); err != nil {
			log.Fatal(err)
		}
		if err := agg.Wait(context.Background()); err != nil {
			log.Fatal(err)
		}
		return agg, cash.NewServer(reg, nil)
	}
	first, _ := replica()
	if err := first.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
	web.CloseClientConnections()
	web.Close()

	second, srv := replica()
	defer second.Close(context.Background())
	page, err := srv.Help(context.Background(), &cash.HelpRequest{Namespace: "files"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page)
	status := second.Status()[0]
	fmt.Println(status.State, status.Server, "last known:", !status.LastKnown.IsZero())
	// Output:
	// # files
	//
	// ## Functions
	//
	// - **read** — Read a file.
	// idle files 1 last known: true
}
