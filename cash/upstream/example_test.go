package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

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
