package main

import (
	"cmp"
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// A face serves the mounted servers to clients.
type face interface {
	Run(ctx context.Context, transport mcp.Transport) error
	Handler() http.Handler
	Shutdown(ctx context.Context) error
}

// faces are the names of all faces.
var faces = []string{"cash", "gateway", "proxy", "disclosure", "facade", "plain"}

func newFace(name string, m *mounted) face {
	switch name {
	case "gateway":
		return newGateway(m)
	case "proxy":
		return newProxy(m)
	case "disclosure":
		return newDisclosure(m)
	case "facade":
		return newFacade(m)
	case "plain":
		return newPlain(m)
	}
	return newServer(m)
}

func newServer(m *mounted) *cash.Server {
	return cash.NewServer(m.tools, &cash.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Serve: m.serving(),
		SizeLimit: m.cfg.SizeLimit,
	})
}

func newGateway(m *mounted) *gateway.Server {
	return gateway.NewServer(m.tools, &gateway.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Serve: m.serving(),
		Resources: m.resources, Prompts: m.prompts,
	})
}

func newProxy(m *mounted) *gateway.Server {
	return gateway.NewServer(m.tools, &gateway.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Serve: m.serving(),
		Mode: gateway.Proxy,
	})
}

func newDisclosure(m *mounted) *disclosure.Server {
	return disclosure.NewServer(m.tools, &disclosure.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Serve: m.serving(),
	})
}

func newFacade(m *mounted) *facade.Server {
	return facade.NewServer(m.tools, &facade.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Serve: m.serving(),
		Tools: true,
	})
}

func newPlain(m *mounted) *plain.Server {
	return plain.NewServer(m.tools, &plain.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Serve: m.serving(),
	})
}

// serving returns the options common to all faces. Servers may log to clients.
func (m *mounted) serving() serve.Options {
	return serve.Options{Instructions: m.cfg.Instructions, Logging: true, Logger: m.log}
}
