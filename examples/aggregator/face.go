package main

import (
	"cmp"
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// A face is what clients see of the servers.
type face interface {
	Run(ctx context.Context, transport mcp.Transport) error
	Handler() http.Handler
	Shutdown(ctx context.Context) error
}

// faces are the names of those that there are.
var faces = []string{"cash", "gateway", "proxy"}

func newFace(name string, m *mounted) face {
	switch name {
	case "gateway":
		return newGateway(m)
	case "proxy":
		return newProxy(m)
	}
	return newServer(m)
}

func newServer(m *mounted) *cash.Server {
	return cash.NewServer(m.tools, &cash.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Instructions: m.cfg.Instructions,
		SizeLimit: m.cfg.SizeLimit,
		Serve:     m.serving(),
	})
}

func newGateway(m *mounted) *gateway.Server {
	return gateway.NewServer(m.tools, &gateway.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Instructions: m.cfg.Instructions,
		Resources: m.resources, Prompts: m.prompts,
		Serve: m.serving(),
	})
}

func newProxy(m *mounted) *gateway.Server {
	return gateway.NewServer(m.tools, &gateway.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Instructions: m.cfg.Instructions,
		Mode:  gateway.Proxy,
		Serve: m.serving(),
	})
}

// serving lets servers log to clients.
func (m *mounted) serving() *serve.Options { return &serve.Options{Logging: true, Logger: m.log} }
