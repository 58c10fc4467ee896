// Package cash serves a registry through three MCP tools, call, help and
// skill (the CaSH model): however many functions there are, a model pays for
// three tool definitions, and for what it looks at.
//
//	srv := cash.NewServer(reg, &cash.Options{Name: "shop", Version: "1.0.0"})
//	err := srv.Run(ctx, &mcp.StdioTransport{}) // or http.Handle("/mcp", srv.Handler())
//
// A conversation goes down a tree:
//
//	help()                                        namespaces, one line each
//	help(namespace="orders")                      what is in one, one line each
//	help(namespace="orders", function="create")   how it is called
//	help(kwargs={"search": "refund an order"})    or straight to functions that fit
//	call(namespace="orders", function="create", kwargs={...})
//	skill()                                       instructions for longer tasks
//
// [Server.Call], [Server.Help] and [Server.Skill] are the same three as plain
// Go methods. [Server.AddTo] adds the tools to an MCP server that exists
// already. [Server.ManifestHandler] and the resource cash://server say who
// publishes the server and what is there (RFC 5.5, 5.6).
//
// # The way of a call
//
// From the SDK to a typed handler, the files in order; what is indented is called on
// the way and returns. What an embedder adds stands in brackets.
//
//	serve/host.go        received     recovers, and checks what is sent
//	serve/host.go        Tool, run    admits the call while the server does not stop
//	serve/host.go          request    who calls, by which connection      [Identify]
//	tools.go             callTool     reads the arguments of the tool
//	call.go              call         makes a registry.Request of them
//	registry/running.go  Call         waits: for the result, the deadline or the client
//	registry/running.go  call         runs, in a goroutine that may be left behind
//	registry/pipeline.go   Prepare    look-up, arguments, schema, defaults [Visibility]
//	call.go                ready      dry run, limit of the gate, kept result
//	registry/pipeline.go [Middleware, Controls], then the kept result, if there is one
//	registry/func.go     Func         decodes, calls the handler, encodes
//	gating.go              deliver    back in call: the gate
//
// # The gate
//
// A result of more than 10,000 characters ([Options.SizeLimit]) is withheld;
// the caller is told what it consists of and which sizelimit lets it through
// (RFC 7). If the function may have had an effect, the result is kept for a
// while and a repeat of the call with that sizelimit returns it without running
// the function again ([Options.Replays]). Results of streaming functions pass.
//
// # Limits
//
// Lists of skills show 100 lines, a search 10 functions. A description in a list
// shows its first line, cut at 200 characters. Help and skill are never gated.
package cash
