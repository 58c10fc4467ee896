// Package plain serves a registry as ordinary MCP tools: tools/list has every
// function that the caller sees, with its whole description and schema, and
// tools/call runs it. It is for servers with a handful of functions, and for
// clients that themselves keep tools out of the context until they need them.
//
//	reg := registry.New(nil)
//	...
//	srv := plain.NewServer(reg, &plain.Options{Name: "shop", Version: "1.0.0"})
//	err := srv.Run(ctx, &mcp.StdioTransport{})
//
// # The picture
//
//	tools/list ─► functions that the caller sees ─► name, description, schema, annotations
//	tools/call ─► by name ─► validate ─► controls ─► run ─► the result as it is
//
// The name of a tool is the flat name of the function
// ([registry.Function.FlatName]): the create of orders.retail is
// orders-retail-create. What a caller may not see is not listed, and called it
// is as unknown as a tool that never was. All other faces cost a model less from
// some number of functions on; [Fit] says which of them fits.
//
// # Limits
//
//   - Resources and prompts of sources are not served, nor are skills.
//   - Results are not gated: a large one is delivered whole. Their schemas are not
//     listed.
//   - There are no dry runs, so that a function which takes the token of one
//     ([control.Plans]) cannot be called.
//   - Clients are told when the list changes ([serve.Changing]) if the source says so
//     ([registry.Watched]); otherwise they see it when they ask again.
//     A list that changes between two of its pages, of 1,000 tools each, may lack
//     what has come, and has nothing twice.
//   - A tool of an embedder's own ([Server.AddTo]) that has the name of a function
//     is hidden behind it.
//   - A function whose server gives a schema that is in error is listed as one that
//     takes any object, and its server checks the arguments.
package plain
