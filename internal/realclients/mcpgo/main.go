// Command mcpgo is an MCP server made with github.com/mark3labs/mcp-go, which shares no code with the SDK and also
// speaks 2026-07-28. It is a module of its own, so that its dependencies do not reach users of the main module.
//
//	mcpgo stdio
//	mcpgo http       both generations, on a port that it writes to standard error
//	mcpgo sessions   2025-11-25 with sessions, likewise
//	mcpgo sse        the older HTTP with server-sent events, likewise
package main

import (
	"log"
	"net"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: mcpgo stdio|http|sessions|sse")
	}
	s := newServer()
	switch os.Args[1] {
	case "stdio":
		if err := server.ServeStdio(s); err != nil {
			log.Fatal(err)
		}
	case "http":
		serve(server.NewStreamableHTTPServer(s), "/mcp")
	case "sessions":
		serve(server.NewStreamableHTTPServer(s, server.WithStateful(true),
			server.WithStreamableHTTPProtocolVersions(mcp.LATEST_LEGACY_PROTOCOL_VERSION)), "/mcp")
	case "sse":
		serve(server.NewSSEServer(s, server.WithUseFullURLForMessageEndpoint(false)), "/sse")
	default:
		log.Fatalf("no transport %q", os.Args[1])
	}
}

func serve(h http.Handler, path string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on http://%s%s", listener.Addr(), path)
	log.Fatal(http.Serve(listener, h))
}

// newServer lists its tools in several pages.
func newServer() *server.MCPServer {
	s := server.NewMCPServer("mcpgo", "1.0.0", server.WithInstructions("Made with mcp-go."),
		server.WithToolCapabilities(true), server.WithElicitation(), server.WithPaginationLimit(3))
	s.AddTools(tools...)
	return s
}
