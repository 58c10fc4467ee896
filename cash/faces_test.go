package cash_test

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// face is a face that can be served, and added to an MCP server of the embedder's own.
type face interface {
	cashtest.Face
	AddTo(*mcp.Server)
}

// faces make the faces of a source by name, with the options that they share.
var faces = map[string]func(registry.Source, serve.Options) face{
	"cash": func(src registry.Source, o serve.Options) face { return cash.NewServer(src, &cash.Options{Serve: o}) },
	"gateway": func(src registry.Source, o serve.Options) face {
		return gateway.NewServer(src, &gateway.Options{Serve: o})
	},
	"disclosure": func(src registry.Source, o serve.Options) face {
		return disclosure.NewServer(src, &disclosure.Options{Serve: o})
	},
	"facade": func(src registry.Source, o serve.Options) face {
		return facade.NewServer(src, &facade.Options{Serve: o})
	},
	"plain": func(src registry.Source, o serve.Options) face { return plain.NewServer(src, &plain.Options{Serve: o}) },
	"proxy": func(src registry.Source, o serve.Options) face {
		return gateway.NewServer(src, &gateway.Options{Serve: o, Mode: gateway.Proxy})
	},
}
