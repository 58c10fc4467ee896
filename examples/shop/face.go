package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/registry"
)

// A face serves the goods to clients.
type face interface {
	Run(ctx context.Context, transport mcp.Transport) error
	Handler() http.Handler
	Shutdown(ctx context.Context) error
}

// faces are the names of all faces. The endpoint has no type face: see endpoint.go.
var faces = []string{"cash", "gateway", "proxy", "disclosure", "facade", "plain", "endpoint"}

// goods are the registry to serve, with its texts.
type goods struct {
	tools              *registry.Registry
	resources, prompts registry.Source       // may be nil
	hint               string                // a description of the contents, for models
	middleware         []registry.Middleware // for every call
	shop               bool                  // it is the shop's own registry, not a catalog
}

func shopGoods(shop *store.Shop, face string) *goods {
	reg := newRegistry(shop)
	if face == "cash" {
		reg.AddSkills(skills) // their texts name call and help
	}
	return &goods{
		tools: reg, hint: "Behind it: orders, stock and customers of a shop.", shop: true,
		middleware: []registry.Middleware{hints(reg, calledBy[face])},
	}
}

// catalogGoods reads a catalog: recorded tools with recorded answers.
func catalogGoods(file string, log io.Writer) (*goods, error) {
	c := catalog.New(nil)
	report, err := c.LoadFile(file)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(log, report)
	g := &goods{tools: c.Tools()}
	if report.Resources > 0 {
		g.resources = c.Resources()
	}
	if report.Prompts > 0 {
		g.prompts = c.Prompts()
	}
	return g, nil
}

func newFace(name string, g *goods) face {
	switch name {
	case "gateway":
		return newGateway(g)
	case "proxy":
		return newProxy(g)
	case "disclosure":
		return newDisclosure(g)
	case "facade":
		return newFacade(g)
	case "plain":
		return newPlain(g)
	}
	return newServer(g)
}

func newServer(g *goods) *cash.Server {
	return cash.NewServer(g.tools, &cash.Options{Name: "shop", Version: "1.0.0", Serve: g.serving()})
}

func newGateway(g *goods) *gateway.Server {
	return gateway.NewServer(g.tools, &gateway.Options{
		Name: "shop", Version: "1.0.0", Serve: g.serving(),
		Resources: g.resources, Prompts: g.prompts,
	})
}

func newProxy(g *goods) *gateway.Server {
	return gateway.NewServer(g.tools, &gateway.Options{Name: "shop", Version: "1.0.0", Serve: g.serving(), Mode: gateway.Proxy})
}

func newDisclosure(g *goods) *disclosure.Server {
	return disclosure.NewServer(g.tools, &disclosure.Options{
		Name: "shop", Version: "1.0.0", Serve: g.serving(),
		Grants: new(disclosure.Grants), // for HTTP clients without a session
	})
}

func newFacade(g *goods) *facade.Server {
	return facade.NewServer(g.tools, &facade.Options{Name: "shop", Version: "1.0.0", Serve: g.serving(), Tools: true})
}

func newPlain(g *goods) *plain.Server {
	return plain.NewServer(g.tools, &plain.Options{Name: "shop", Version: "1.0.0", Serve: g.serving()})
}

// serving returns the options common to all faces.
func (g *goods) serving() serve.Options {
	return serve.Options{Hint: g.hint, Middleware: g.middleware}
}
