// Package gateway serves a registry as the gateway surface. A model browses choice cards, executes
// by id, and reads large results piece by piece. There are three tools, whatever the number of
// functions.
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
// A hidden function has no card, and its id is answered like an unknown one. Large results stay
// behind handles that belong to their caller ([firewall.Firewall]). Policy, quotas, dry runs,
// caching and retries are [control.Controls]. Upstream servers and catalogs from files are
// registries like any other.
//
// # The way of tool_execute
//
// It is like that of call in package cash. The files in order:
//
//	serve/host.go        received, Tool, run, request   as for every tool
//	tools.go             executeTool  reads the arguments of the tool
//	execute.go           execute      makes a registry.Request of them
//	registry/running.go  Call, call   waits, and runs in another goroutine
//	execute.go             find       the function with the id
//	registry/pipeline.go   Prepare    arguments, schema, defaults
//	execute.go             ready      reserves room for the result, unless the function only reads
//	registry/pipeline.go [Middleware, Controls]
//	registry/func.go     Func         decodes, calls the handler, encodes
//	execute.go             result     back in execute: the firewall, the envelope
//
// # Modes
//
// A server in [Proxy] mode lists every function as a stripped tool and has no tool_browse. Its
// tool_hydrate shows the real schema of a function (section 4.1). Results are sent as they are. Model
// APIs take no names with ':' and '#', so the list spells ids with '_' in their place. This deviates
// from section 4.1, whose names are the ids: [Options.CanonicalNames].
//
// Options.Resources and Options.Prompts add resource_browse, resource_read, prompt_browse and
// prompt_get (section 9).
//
// # A full store
//
// Functions that are read-only run whatever the store of large results does. A large result without
// room is shown in part, and its envelope says how to narrow the call. Other functions are refused
// before they run, with [RateLimited] and the details {scope: "artifacts", reason, retry_after}. The
// reason is artifact_store_full, or artifact_store_failed if the store does not work. The firewall logs
// it once as long as it lasts.
//
// # Extensions
//
// Beyond the kinds of section 9.1, resource and prompt, a skill has an id with the kind skill:
// skill::orders:refund#63f08f9e. Skills have cards in the namespaces that they are in, and
// tool_execute takes such an id and returns the text. The invocations in it are those of this face.
//
// The filter of section 3.2 is a path such as /orders/*?tag=read-only. In a query, the word
// tag=read-only is the same.
//
// # Limits
//
//   - Search is that of package registry: by words, in process.
//   - In cache-stable mode, the cards of a scope are kept for an hour, for the 1,000 scopes used
//     last, and 100,000 cards in all. A caller that cannot be identified has no scope.
//   - A namespace whose path is too long has no card. A query still finds its functions, and
//     [Server.Refresh] reports it.
//   - Large results of callers that cannot be identified, anonymous and without a lasting connection,
//     share the room of one payer, unless [serve.Options.Address] tells them apart. One of them can use
//     it up for the others: their large reads then have no handle, and their writes are refused, for
//     some minutes. Anonymous callers together leave a quarter of the room to callers who are known.
//     All handles are unguessable, and those of callers that cannot be identified open for any of them.
//   - Templates of resources are not served.
package gateway
