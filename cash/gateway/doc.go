// Package gateway serves a registry as the gateway surface: a model browses choice
// cards, executes by id, and looks into large results piece by piece, through
// three tools whatever the number of functions.
//
//	reg := registry.New(nil)
//	...
//	srv := gateway.NewServer(reg, &gateway.Options{Name: "shop", Version: "1.0.0"})
//	err := srv.Run(ctx, &mcp.StdioTransport{})
//
// # The picture
//
//	tool_browse  ── query ─► search ─┐
//	             ── path ──► tree ───┴─► cards, each within 80 tokens, ids on them
//	tool_execute ── id ────► function ─► validate ─► controls ─► run ─► firewall ─► envelope
//	tool_view    ── handle ► artifact ─► lines, rows, keys, paths, matches
//
// What a caller may not see is in no card, and its id is as unknown as one that
// never was. Results that are large stay behind handles of their caller's own
// ([firewall.Firewall]); policy, quotas, dry runs, caching and retries are
// [control.Controls]. Upstream servers, and catalogs from files, are registries
// like any other.
//
// # The way of tool_execute
//
// It is that of call in package cash, with other ends; the files in order:
//
//	serve/host.go        received, Tool, run, request   as for every tool
//	tools.go             executeTool  reads the arguments of the tool
//	execute.go           execute      makes a registry.Request of them
//	registry/running.go  Call, call   waits and runs apart
//	execute.go             find       the function that an id stands for
//	registry/pipeline.go   Prepare    arguments, schema, defaults
//	execute.go             ready      room for the result, before it is run
//	registry/pipeline.go [Middleware, Controls]
//	registry/func.go     Func         decodes, calls the handler, encodes
//	execute.go             result     back in execute: the firewall, the envelope
//
// # Modes
//
// As a [Proxy] the server lists every function as a stripped tool instead of
// having tool_browse, and tool_hydrate shows the real schema of one
// (section 4.1); results are delivered as they are.
//
// With Options.Resources and Options.Prompts there are resource_browse,
// resource_read, prompt_browse and prompt_get besides (section 9).
//
// # Limits
//
//   - Retrieval is that of package registry: by words, in process.
//   - Cards of a scope in cache-stable mode are remembered for an hour, for the
//     1,000 scopes that were used last, and 100,000 cards of all; a caller that
//     cannot be told from others has no scope.
//   - A namespace whose path is too long for a card has none: a query leads to
//     what is in it, and [Server.Refresh] reports it.
//   - Callers that cannot be told from one another, anonymous ones without a
//     connection that lasts, share one owner's room for large results: one of them
//     can use it up for all. Their handles are as unguessable as others.
//   - Templates of resources are not served.
package gateway
