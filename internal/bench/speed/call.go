package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"

	mcpgoclient "github.com/mark3labs/mcp-go/client"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// Names of subjects that bounds and the README refer to.
const (
	callSessionless  = "call, sessionless"
	callSessions     = "call, sessions"
	mcpgoSessionless = "mcp-go, sessionless"
	mcpgoSessions    = "mcp-go, sessions"
	sdkSessionless   = "SDK raw, sessionless"
	httpFloor        = "net/http, a constant"
	sdkRaw           = "SDK raw"
	sdkGeneric       = "SDK generic"
	serverCall       = "Server.Call"
	handlerByHand    = "handler and encoding/json"
)

func callCharts() []chart {
	clients, one := []int{1, 64}, []int{1}
	return []chart{{
		name: "http", title: "A call over HTTP", axis: "clients", parallel: true, sizes: clients, short: clients,
		work: "A typed function creates an order of three items. All are asked by the same bare net/http client, over kept connections.",
		subjects: []subject{
			{name: httpFloor, kind: floor, setup: overHTTP(constant(request{"tools/call", "call", callArgs}.message(stateless)), stateless, request{"tools/call", "call", callArgs}, "create")},
			{name: callSessionless, setup: cashHTTP(&serve.Options{}, stateless)},
			{name: "call, sessionless, through the SDK", setup: cashHTTP(&serve.Options{ThroughSDK: true}, stateless)},
			{name: callSessions, setup: cashHTTP(&serve.Options{}, sessions)},
			{name: "tool_execute, sessionless", setup: executeHTTP},
			{name: "plain, sessionless", setup: plainHTTP},
			{name: mcpgoSessionless, kind: peer, setup: mcpgoHTTP(stateless)},
			{name: mcpgoSessions, kind: peer, setup: mcpgoHTTP(sessions)},
			{name: sdkSessionless, kind: peer, setup: sdkHTTP(rawSDK(), stateless)},
			{name: "SDK raw, sessions", kind: peer, setup: sdkHTTP(rawSDK(), sessions)},
			{name: "SDK generic, sessionless", kind: peer, setup: sdkHTTP(genericSDK(), stateless)},
		},
	}, {
		name: "stdio", title: "A call on standard input", axis: "clients", sizes: one, short: one,
		work: "The same, on two pipes of the operating system, in lines. Client and server are in one process, so that both sides' memory counts.",
		subjects: []subject{
			{name: "call", setup: func(t *trial) (func(int) error, error) {
				return pipes(overPipes(t, cash.NewServer(orders(), nil)))("call", callArgs)
			}},
			{name: "tool_execute", setup: func(t *trial) (func(int) error, error) {
				return pipes(overPipes(t, gateway.NewServer(orders(), nil)))("tool_execute", executeArgs())
			}},
			{name: sdkRaw, kind: peer, setup: func(t *trial) (func(int) error, error) {
				return pipes(overPipes(t, rawSDK()))("create", orderArgs)
			}},
			{name: sdkGeneric, kind: peer, setup: func(t *trial) (func(int) error, error) {
				return pipes(overPipes(t, genericSDK()))("create", orderArgs)
			}},
			{name: "mcp-go", kind: peer, setup: func(t *trial) (func(int) error, error) {
				return pipes(dial(t, func(ctx context.Context, in, out *os.File) error {
					return mcpgoserver.NewStdioServer(typedMCPGo()).Listen(ctx, in, out)
				}))("create", orderArgs)
			}},
		},
	}, {
		name: "memory", title: "A call in memory", axis: "clients", parallel: true, sizes: clients, short: clients,
		work: "The same, by a client of the SDK over its in-memory transport. mcp-go has a client and an in-memory transport of its own. All clients share one connection.",
		subjects: []subject{
			{name: "call", setup: func(t *trial) (func(int) error, error) {
				return called(t, cash.NewServer(orders(), nil), "call", callArgs)
			}},
			{name: "tool_execute", setup: func(t *trial) (func(int) error, error) {
				return called(t, gateway.NewServer(orders(), nil), "tool_execute", executeArgs())
			}},
			{name: "plain", setup: func(t *trial) (func(int) error, error) {
				return called(t, plain.NewServer(orders(), nil), "orders-create", orderArgs)
			}},
			{name: sdkRaw, kind: peer, setup: func(t *trial) (func(int) error, error) { return called(t, rawSDK(), "create", orderArgs) }},
			{name: sdkGeneric, kind: peer, setup: func(t *trial) (func(int) error, error) { return called(t, genericSDK(), "create", orderArgs) }},
			{name: "mcp-go", kind: peer, setup: mcpgoMemory},
		},
	}, {
		name: "direct", title: "A call without a transport", sizes: one, short: one,
		work: "The same, as a Go method. The floor decodes, runs the function, and encodes.",
		subjects: []subject{
			{name: handlerByHand, kind: floor, setup: func(t *trial) (func(int) error, error) {
				return func(int) error {
					data, err := byHand(t.ctx, []byte(orderArgs))
					if err != nil {
						return err
					}
					return holds(string(data), orderID)
				}, nil
			}},
			{name: serverCall, setup: func(t *trial) (func(int) error, error) {
				srv := cash.NewServer(orders(), nil)
				req := &cash.CallRequest{Namespace: "orders", Function: "create", Kwargs: raw(orderArgs)}
				return func(int) error {
					res, err := srv.Call(t.ctx, req)
					if err != nil {
						return err
					}
					return holds(res.Text(), orderID)
				}, nil
			}},
			{name: "gateway Execute", setup: func(t *trial) (func(int) error, error) {
				srv := gateway.NewServer(orders(), nil)
				req := &gateway.ExecuteRequest{ID: createID(), Args: raw(orderArgs)}
				return func(int) error {
					res, err := srv.Execute(t.ctx, req)
					if err != nil {
						return err
					}
					return holds(res.Text(), orderID)
				}, nil
			}},
		},
	}, {
		name: "requests", title: "Other requests over HTTP", axis: "clients", parallel: true, sizes: clients, short: one,
		work: "Requests without a session, to servers with 200 functions. They are not the same work: tools/list is what the peers have for help.",
		subjects: slices.Concat([]subject{
			{name: httpFloor, kind: floor, setup: overHTTP(constant([]byte("{}")), stateless, request{"tools/list", "", ""}, "{}")},
		}, askedHTTP()),
	}}
}

func executeArgs() string { return fmt.Sprintf(`{"tool_id":%q,"args":%s}`, createID(), orderArgs) }

// createID is the id of the function that creates an order.
func createID() string {
	f, err := orders().Function(context.Background(), "orders", "create")
	if err != nil {
		panic(err)
	}
	return f.ID().String()
}

// overHTTP sends a request to a handler.
func overHTTP(h http.Handler, version string, r request, want string) func(*trial) (func(int) error, error) {
	return func(t *trial) (func(int) error, error) {
		w, err := listen(t, h, version, r)
		if err != nil {
			return nil, err
		}
		text := []byte(want)
		return func(client int) error { return w.call(t.ctx, client, text) }, nil
	}
}

func cashHTTP(o *serve.Options, version string) func(*trial) (func(int) error, error) {
	return func(t *trial) (func(int) error, error) {
		srv := cash.NewServer(orders(), &cash.Options{Serve: *o})
		return overHTTP(srv.Handler(), version, request{"tools/call", "call", callArgs}, orderID)(t)
	}
}

func executeHTTP(t *trial) (func(int) error, error) {
	srv := gateway.NewServer(orders(), nil)
	return overHTTP(srv.Handler(), stateless, request{"tools/call", "tool_execute", executeArgs()}, orderID)(t)
}

func plainHTTP(t *trial) (func(int) error, error) {
	srv := plain.NewServer(orders(), nil)
	return overHTTP(srv.Handler(), stateless, request{"tools/call", "orders-create", orderArgs}, orderID)(t)
}

func sdkHTTP(srv *mcp.Server, version string) func(*trial) (func(int) error, error) {
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: version == stateless})
	return overHTTP(h, version, request{"tools/call", "create", orderArgs}, orderID)
}

func mcpgoHTTP(version string) func(*trial) (func(int) error, error) {
	h := mcpgoserver.NewStreamableHTTPServer(typedMCPGo(), mcpgoserver.WithStateful(version == sessions))
	return overHTTP(h, version, request{"tools/call", "create", orderArgs}, orderID)
}

// pipes sends a call over two pipes.
func pipes(c *lines, err error) func(tool, args string) (func(int) error, error) {
	return func(tool, args string) (func(int) error, error) {
		if err != nil {
			return nil, err
		}
		line, want := append(request{"tools/call", tool, args}.message(sessions), '\n'), []byte(orderID)
		return func(int) error { return c.ask(line, want) }, nil
	}
}

// called calls a tool over a connection in memory.
func called(t *trial, srv interface {
	Run(context.Context, mcp.Transport) error
}, tool, args string) (func(int) error, error) {
	session, err := inMemory(t, srv)
	if err != nil {
		return nil, err
	}
	return func(int) error {
		res, err := session.CallTool(t.ctx, &mcp.CallToolParams{Name: tool, Arguments: raw(args)})
		if err != nil {
			return err
		}
		return holds(text(res), orderID)
	}, nil
}

func mcpgoMemory(t *trial) (func(int) error, error) {
	c, err := connectMCPGo(t, typedMCPGo())
	if err != nil {
		return nil, err
	}
	return func(int) error {
		req := mcpgo.CallToolRequest{}
		req.Params.Name, req.Params.Arguments = "create", raw(orderArgs)
		res, err := c.CallTool(t.ctx, req)
		if err != nil {
			return err
		}
		answer, _ := res.Content[0].(mcpgo.TextContent)
		return holds(answer.Text, orderID)
	}, nil
}

// connectMCPGo connects mcp-go's own client in memory.
func connectMCPGo(t *trial, srv *mcpgoserver.MCPServer) (*mcpgoclient.Client, error) {
	c, err := mcpgoclient.NewInProcessClient(srv)
	if err != nil {
		return nil, err
	}
	t.cleanup(func() { _ = c.Close() })
	if err := c.Start(t.ctx); err != nil {
		return nil, err
	}
	hello := mcpgo.InitializeRequest{}
	hello.Params.ProtocolVersion = mcpgo.LATEST_LEGACY_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcpgo.Implementation{Name: "speed", Version: "1"}
	_, err = c.Initialize(t.ctx, hello)
	return c, err
}
