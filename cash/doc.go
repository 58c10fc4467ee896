// Package cash serves a registry through three MCP tools: call, help and skill (the CaSH model). A
// model pays for three tool definitions, whatever the number of functions, and for the pages that
// it reads.
//
//	srv := cash.NewServer(reg, &cash.Options{Name: "shop", Version: "1.0.0"})
//	err := srv.Run(ctx, &mcp.StdioTransport{}) // or http.Handle("/mcp", srv.Handler())
//
// A conversation goes down a tree:
//
//	help()                                        namespaces, one line each
//	help(namespace="orders")                      the entries of one, one line each
//	help(namespace="orders", function="create")   how it is called
//	help(kwargs={"search": "refund an order"})    or straight to matching functions
//	call(namespace="orders", function="create", kwargs={...})
//	skill()                                       instructions for longer tasks; see [Options.Guide]
//
// [Server.Call], [Server.Help] and [Server.Skill] are the same three as Go methods. [Server.AddTo]
// adds the tools to an existing MCP server. [Server.ManifestHandler] and the resource cash://server
// publish the server's identity and contents (RFC 5.5, 5.6).
//
// The resource also has a revision: a text that changes with what the reading caller sees of
// namespaces, functions and skills. Clients can subscribe to the resource and are notified of
// changes that they see. A server that mounts this one reads it again then. A source that does not
// tell of changes ([registry.Watched]) has no subscriptions.
//
// # The way of a call
//
// From the SDK to a typed handler, with the files in order. An indented step returns before the
// next line. The embedder's code is in brackets.
//
//	serve/host.go        received     recovers, and checks what is sent
//	serve/host.go        Tool, run    admits the call while the server does not stop
//	serve/host.go          request    the caller and its connection       [Identify]
//	tools.go             callTool     reads the arguments of the tool
//	call.go              call         makes a registry.Request of them
//	registry/running.go  Call         waits: for the result, the deadline or the client
//	registry/running.go  call         runs, in a goroutine that may be abandoned
//	registry/pipeline.go   Prepare    look-up, arguments, schema, defaults [Visibility]
//	call.go                ready      dry run, limit of the gate, kept result
//	registry/pipeline.go [Middleware, Controls], then the kept result, if there is one
//	registry/func.go     Func         decodes, calls the handler, encodes
//	gating.go              deliver    back in call: the gate
//
// # The gate
//
// A result of more than 10,000 characters ([Options.SizeLimit]) is withheld. The caller gets a
// summary of it and the sizelimit that lets it through (RFC 7). The result of a function that may
// have effects is kept for a while ([Options.Replays]). A repeat of the call with that sizelimit
// then returns it without running the function again. Results of streaming functions pass.
//
// # Limits
//
// A page of help and a list of skills have at most as many characters as the gate lets through, and
// name the next page (offset, limit). Pages in JSON are whole unless they are asked for in parts.
// Lists of skills show 100 lines, a search shows 10 functions. A description in a list shows its
// first line, cut at 200 characters. The text of a skill is never gated.
package cash
