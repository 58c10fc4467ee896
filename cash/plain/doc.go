// Package plain serves a registry as ordinary MCP tools. tools/list has every function that the
// caller sees, with its whole description and schema. tools/call runs it. Use it for a handful of
// functions, and for clients that keep tools out of the context themselves until they need them.
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
// A tool has the flat name of its function ([registry.Function.FlatName]): the create of
// orders.retail is orders-retail-create. A hidden function is not listed, and a call of it fails
// like that of an unknown tool. From some number of functions on, all other faces cost a model
// less; package cash/cost counts how much.
//
// # Limits
//
//   - Resources, prompts and skills of sources are not served.
//   - Results are not gated: a large one is sent whole. Output schemas are not listed.
//   - There are no dry runs. A function that needs the token of one ([control.Plans]) cannot be
//     called.
//   - Clients are notified of changes of the list ([serve.Changing]) if the source reports them
//     ([registry.Watched]). Otherwise they see a change when they list again. A list that changes
//     between two of its pages, of 1,000 tools each, may lack new tools. It never has a tool twice.
//   - An embedder's own tool ([Server.AddTo]) is hidden by a function of the same name.
//   - A function with an invalid schema from its server is listed with one that accepts any object.
//     Its server checks the arguments.
package plain
