package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

func ExampleHTTP() {
	s := newServer()
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer server.Close()

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), mcpclient.HTTP(server.URL, nil, mcpclient.Options{}), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	ctx, x := mcpclient.WithExchange(context.Background())
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "exact"}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.70s...\n", x.Result())
	// Output: {"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"...
}

func ExampleTap() {
	ours, theirs := mcp.NewInMemoryTransports()
	go func() { _ = newServer().Run(context.Background(), theirs) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), mcpclient.Tap(ours, mcpclient.Options{}), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	ctx, x := mcpclient.WithExchange(context.Background())
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "exact"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(x.Result()), x.Sent())
	// Output: {"content":[],"structuredContent":{"z":9007199254740993,"a":{"y":1.0,"b":[1e2]}}} true
}

func ExampleError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<html>Down for maintenance")
	}))
	defer server.Close()

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	_, err := client.Connect(context.Background(), mcpclient.HTTP(server.URL, nil, mcpclient.Options{}), nil)
	var e *mcpclient.Error
	if errors.As(err, &e) {
		fmt.Println(e.Class, e.Status, e.RetryAfter, e.Reason)
	}
	// Output: status 503 30s status 503 (Service Unavailable)
}

func ExampleWithExchange() {
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close() // nobody is there

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	ctx, x := mcpclient.WithExchange(context.Background())
	_, err := client.Connect(ctx, mcpclient.HTTP(url, nil, mcpclient.Options{}), nil)
	fmt.Println(err != nil, x.Err(), x.Sent())
	// Output: true unreachable: the connection was refused false
}
