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

// A face is what clients see of the servers.
type face interface {
	Run(ctx context.Context, transport mcp.Transport) error
	Handler() http.Handler
	Shutdown(ctx context.Context) error
}

// faces are the names of those that there are.
var faces = []string{"cash", "gateway", "proxy", "disclosure", "facade", "plain"}

func newFace(name string, m *mounted) (face, error) {
	switch name {
	case "gateway":
		return newGateway(m), nil
	case "proxy":
		return newProxy(m), nil
	case "disclosure":
		return newDisclosure(m)
	case "facade":
		return newFacade(m), nil
	case "plain":
		return newPlain(m), nil
	}
	return newServer(m), nil
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

func newDisclosure(m *mounted) (*disclosure.Server, error) {
	return disclosure.NewServer(m.tools, &disclosure.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Instructions: m.cfg.Instructions,
		Serve: m.serving(),
	})
}

func newFacade(m *mounted) *facade.Server {
	return facade.NewServer(m.tools, &facade.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Instructions: m.cfg.Instructions,
		Tools: true,
		Serve: m.serving(),
	})
}

func newPlain(m *mounted) *plain.Server {
	return plain.NewServer(m.tools, &plain.Options{
		Name: cmp.Or(m.cfg.Name, "aggregator"), Version: m.cfg.Version, Instructions: m.cfg.Instructions,
		Serve: m.serving(),
	})
}

// serving lets servers log to clients.
func (m *mounted) serving() *serve.Options { return &serve.Options{Logging: true, Logger: m.log} }
