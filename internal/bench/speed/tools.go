package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// ourList is the name of what lists the three tools.
const ourList = "call, help, skill"

// served is the number of functions of the servers in the chart of requests.
const served = 200

// askedHTTP are requests to servers with made functions.
func askedHTTP() []subject {
	list := request{"tools/list", "", ""}
	help := func(args string) request { return request{"tools/call", "help", args} }
	ofCash := func(name string, r request, want string) subject {
		return subject{name: name, setup: func(t *trial) (func(int) error, error) {
			reg, err := filled(served)
			if err != nil {
				return nil, err
			}
			return overHTTP(cash.NewServer(reg, nil).Handler(), stateless, r, want)(t)
		}}
	}
	tools := made(served)
	first := fmt.Sprintf(`{"namespace":%q,"function":%q}`, tools[0].space, tools[0].name)
	return []subject{
		ofCash("tools/list", list, "call"),
		ofCash("help", help(`{}`), tools[0].space),
		ofCash("help of a function", help(first), tools[0].name),
		ofCash("help, a search", help(`{"kwargs":{"search":"list the orders"}}`), "order"),
		ofCash("call of a raw function", request{"tools/call", "call", first}, "done"),
		{name: "tools/list of plain", setup: func(t *trial) (func(int) error, error) {
			reg, err := filled(served)
			if err != nil {
				return nil, err
			}
			return overHTTP(plain.NewServer(reg, nil).Handler(), stateless, list, tools[0].description)(t)
		}},
		{name: "tools/list of mcp-go", kind: peer, like: "tools/list of plain", setup: overHTTPLater(func() http.Handler {
			return mcpgoserver.NewStreamableHTTPServer(mcpgoWith(tools), mcpgoserver.WithStateful(false))
		}, list, tools[0].name)},
		{name: "tools/list of the SDK", kind: peer, like: "tools/list of plain", setup: overHTTPLater(func() http.Handler {
			srv := sdkWith(tools)
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: true})
		}, list, tools[0].name)},
	}
}

func overHTTPLater(h func() http.Handler, r request, want string) func(*trial) (func(int) error, error) {
	return func(t *trial) (func(int) error, error) { return overHTTP(h(), stateless, r, want)(t) }
}

func mcpgoWith(tools []madeTool) *mcpgoserver.MCPServer {
	srv := mcpgoserver.NewMCPServer("made", "1", mcpgoserver.WithToolCapabilities(false))
	for _, t := range tools {
		srv.AddTool(mcpgo.NewToolWithRawSchema(t.name+"_of_"+t.space, t.description, t.schema),
			func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
				return mcpgo.NewToolResultText("done"), nil
			})
	}
	return srv
}

func toolCharts() []chart {
	sizes, short := []int{10, 100, 1000, 10_000, 50_000}, []int{100, 1000}
	return []chart{{
		name: "reads", title: "Requests by number of tools", axis: "tools", sizes: sizes, short: short,
		work:  "Go methods, without a transport. Help has the first page of namespaces, or the 50 functions of one.",
		built: "registration until the first call, or until a gateway has ids and cards", per: "tool",
		subjects: []subject{
			{name: serverCall, setup: ofServer(func(ctx context.Context, srv *cash.Server, last madeTool) error {
				_, err := srv.Call(ctx, &cash.CallRequest{Namespace: last.space, Function: last.name})
				return err
			})},
			{name: "help", setup: ofServer(func(ctx context.Context, srv *cash.Server, _ madeTool) error {
				page, err := srv.Help(ctx, &cash.HelpRequest{})
				return some(len(page), err)
			})},
			{name: "help of a namespace", setup: ofServer(func(ctx context.Context, srv *cash.Server, last madeTool) error {
				page, err := srv.Help(ctx, &cash.HelpRequest{Namespace: last.space})
				return some(len(page), err)
			})},
			{name: "help of a function", setup: ofServer(func(ctx context.Context, srv *cash.Server, last madeTool) error {
				page, err := srv.Help(ctx, &cash.HelpRequest{Namespace: last.space, Function: last.name})
				return some(len(page), err)
			})},
			{name: "tool_execute", setup: ofGateway(func(ctx context.Context, srv *gateway.Server, id string) error {
				_, err := srv.Execute(ctx, &gateway.ExecuteRequest{ID: id})
				return err
			})},
			{name: "tool_browse, a query", setup: ofGateway(func(ctx context.Context, srv *gateway.Server, _ string) error {
				cards, err := srv.Browse(ctx, &gateway.BrowseRequest{Query: "create an order"})
				return some(len(cards), err)
			})},
			{name: "tool_browse, a path", setup: ofGateway(func(ctx context.Context, srv *gateway.Server, _ string) error {
				cards, err := srv.Browse(ctx, &gateway.BrowseRequest{Path: "/"})
				return some(len(cards), err)
			})},
		},
	}, {
		name: "lists", title: "tools/list by number of tools", axis: "tools", sizes: []int{10, 100, 1000, 10_000}, short: []int{10, 1000},
		work: "All pages, in memory, by a client of the SDK; mcp-go's by its own.", built: "the server", per: "tool",
		subjects: []subject{
			{name: ourList, setup: func(t *trial) (func(int) error, error) {
				reg, err := filled(t.size)
				if err != nil {
					return nil, err
				}
				return listed(t, cash.NewServer(reg, nil), 3)
			}},
			{name: "plain", setup: func(t *trial) (func(int) error, error) {
				reg, err := filled(t.size)
				if err != nil {
					return nil, err
				}
				return listed(t, plain.NewServer(reg, nil), t.size)
			}},
			{name: "SDK", kind: peer, setup: func(t *trial) (func(int) error, error) {
				srv := sdkWith(nil)
				for _, tool := range made(t.size) {
					tool.name += "_of_" + tool.space
					addTo(srv, tool)
				}
				return listed(t, srv, t.size)
			}},
			{name: "mcp-go", kind: peer, setup: func(t *trial) (func(int) error, error) {
				c, err := connectMCPGo(t, mcpgoWith(made(t.size)))
				if err != nil {
					return nil, err
				}
				return func(int) error {
					res, err := c.ListTools(t.ctx, mcpgo.ListToolsRequest{})
					if err == nil && len(res.Tools) != t.size {
						err = fmt.Errorf("%d tools", len(res.Tools))
					}
					return err
				}, nil
			}},
		},
	}, {
		name: "changes", title: "Registration and refresh", axis: "tools", sizes: sizes, short: short,
		work: "Typed functions of one Go type are registered, and one is called. A function is added, and one is called, or searched. " +
			"A gateway refreshes from a document of tools, with ids, cards, schemas and index: from nothing, and after one tool has changed.",
		subjects: []subject{
			{name: "register all, call", setup: registerAll},
			{name: "add one, call", setup: addOne(func(ctx context.Context, reg *registry.Registry) error {
				_, err := reg.Function(ctx, made(1)[0].space, made(1)[0].name)
				return err
			})},
			{name: "add one, search", setup: addOne(func(ctx context.Context, reg *registry.Registry) error {
				return some(len(reg.Search(ctx, made(1)[0].name, firstFound)), nil)
			})},
			{name: "refresh from nothing", setup: refreshAll},
			{name: "refresh after one change", setup: refreshOne},
		},
	}}
}

// ofServer measures a server with tools. The operation gets the last one.
func ofServer(op func(context.Context, *cash.Server, madeTool) error) func(*trial) (func(int) error, error) {
	return func(t *trial) (func(int) error, error) {
		last := made(t.size)[t.size-1]
		srv, err := share(t, "server", func() (*cash.Server, error) {
			t.mark()
			reg, err := filled(t.size)
			srv := cash.NewServer(reg, nil)
			if err == nil {
				_, err = srv.Call(t.ctx, &cash.CallRequest{Namespace: last.space, Function: last.name})
			}
			return srv, err
		})
		return func(int) error { return op(t.ctx, srv, last) }, err
	}
}

// ofGateway measures a gateway with tools. The operation gets the id of the last one.
func ofGateway(op func(context.Context, *gateway.Server, string) error) func(*trial) (func(int) error, error) {
	type rig struct {
		srv *gateway.Server
		id  string
	}
	return func(t *trial) (func(int) error, error) {
		r, err := share(t, "gateway", func() (*rig, error) {
			last := made(t.size)[t.size-1]
			t.mark()
			reg, err := filled(t.size)
			if err != nil {
				return nil, err
			}
			f, err := reg.Function(t.ctx, last.space, last.name)
			if err != nil {
				return nil, err
			}
			srv := gateway.NewServer(reg, nil)
			_, err = srv.Refresh(t.ctx)
			return &rig{srv, f.ID().String()}, err
		})
		return func(int) error { return op(t.ctx, r.srv, r.id) }, err
	}
}

// listed reads all pages of tools/list.
func listed(t *trial, srv interface {
	Run(context.Context, mcp.Transport) error
}, want int) (func(int) error, error) {
	session, err := inMemory(t, srv)
	if err != nil {
		return nil, err
	}
	return func(int) error {
		n := 0
		for _, err := range session.Tools(t.ctx, nil) {
			if err != nil {
				return err
			}
			n++
		}
		if n != want {
			return fmt.Errorf("%d tools", n)
		}
		return nil
	}, nil
}

func registerAll(t *trial) (func(int) error, error) {
	tools := made(t.size)
	return func(int) error {
		return t.timed(func() error {
			reg := registry.New(nil)
			for _, tool := range tools {
				reg.Namespace(tool.space, "").Add(registry.Func(tool.name, tool.description, create))
			}
			_, err := reg.Function(t.ctx, tools[0].space, tools[0].name)
			return err
		})
	}, nil
}

// addOne adds a function to one of the namespaces, and does something then.
func addOne(then func(context.Context, *registry.Registry) error) func(*trial) (func(int) error, error) {
	return func(t *trial) (func(int) error, error) {
		reg, err := filled(t.size)
		if err != nil {
			return nil, err
		}
		i := 0
		next := func(int) error {
			f := registry.Func(fmt.Sprintf("added_%d", i), "Added later to those that are there.", create)
			space := made(t.size)[i*perSpace%t.size].space
			i++
			return t.timed(func() error {
				reg.Namespace(space, "").Add(f)
				return then(t.ctx, reg)
			})
		}
		return next, next(0)
	}
}

func refreshAll(t *trial) (func(int) error, error) {
	doc := document(made(t.size))
	return func(int) error {
		return t.timed(func() error {
			c := catalog.New(nil)
			return refresh(t, c, gateway.NewServer(c.Tools(), nil), doc)
		})
	}, nil
}

func refreshOne(t *trial) (func(int) error, error) {
	c := catalog.New(nil)
	srv := gateway.NewServer(c.Tools(), nil)
	changed := slices.Clone(made(t.size))
	changed[t.size/2].description = "Now: " + changed[t.size/2].description
	docs, i := [][]byte{document(made(t.size)), document(changed)}, 0
	next := func(int) error {
		i++
		return t.timed(func() error { return refresh(t, c, srv, docs[i%2]) })
	}
	return next, next(0)
}

func refresh(t *trial, c *catalog.Catalog, srv *gateway.Server, doc []byte) error {
	if _, err := c.Load(doc); err != nil {
		return err
	}
	report, err := srv.Refresh(t.ctx)
	if err != nil {
		return err
	}
	if report.Tools != t.size {
		return fmt.Errorf("%d tools", report.Tools)
	}
	cards, err := srv.Browse(t.ctx, &gateway.BrowseRequest{Query: "create an order"})
	return some(len(cards), err)
}

// document is the result of tools/list.
func document(tools []madeTool) []byte {
	type entry struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	list := make([]entry, len(tools))
	for i, t := range tools {
		list[i] = entry{t.space + "." + t.name, t.description, t.schema}
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(list); err != nil {
		panic(err)
	}
	return b.Bytes()
}
