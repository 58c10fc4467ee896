package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// A server's tools become functions of the namespace at its label.
func Example() {
	weather := mcp.NewServer(&mcp.Implementation{Name: "weather"}, nil)
	weather.AddTool(&mcp.Tool{Name: "get-forecast", Description: "Forecast the weather.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sunny"}}}, nil
		})

	ctx := context.Background()
	reg := registry.New(nil)
	agg := upstream.New(reg, nil)
	if err := agg.Add(upstream.Server{Label: "weather", Endpoint: upstream.InMemory{Server: weather}}); err != nil {
		log.Fatal(err)
	}
	if err := agg.Wait(ctx); err != nil { // servers are connected to in the background
		log.Fatal(err)
	}
	srv := cash.NewServer(reg, nil)
	page, _ := srv.Help(ctx, &cash.HelpRequest{Namespace: "weather"})
	fmt.Println(page)
	result, _ := srv.Call(ctx, &cash.CallRequest{Namespace: "weather", Function: "get_forecast"})
	fmt.Println(result.Text())
	if err := agg.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// # weather
	//
	// ## Functions
	//
	// - **get_forecast** — Forecast the weather.
	// sunny
}

// A server is a process, or has a URL.
func ExampleServer() {
	reg := registry.New(nil)
	agg := upstream.New(reg, nil)
	for _, server := range []upstream.Server{
		{
			Label:    "files",
			Endpoint: upstream.Command{Path: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "."}},
		},
		{
			Label: "notes",
			Endpoint: upstream.HTTP{
				URL:    "https://notes.example/mcp",
				Header: http.Header{"Authorization": {"Bearer " + os.Getenv("NOTES_TOKEN")}},
			},
		},
	} {
		if err := agg.Add(server); err != nil {
			log.Fatal(err)
		}
	}
}
