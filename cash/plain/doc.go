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
//	tools/list ─► functions that the caller sees ─► name, title, description, schemas, annotations, icons, _meta
//	tools/call ─► by name ─► validate ─► controls ─► run ─► the result as it is, and as structured content
//
// A tool has the flat name of its function ([registry.Function.FlatName]): the create of
// orders.retail is orders-retail-create. A hidden function is not listed, and a call of it fails
// like that of an unknown tool. From some number of functions on, all other faces cost a model
// less; package cash/cost counts how much.
//
// # Typed results
//
// The output schema of a function is that which mcp.AddTool infers from the same Go type, or the one that
// is declared ([registry.Function.OutputSchema]). Functions of other servers have those of their servers.
// Results of functions with one are also sent as structured content, whole and at full detail:
//
//	func(ctx, In) (Order, error)     {"id": "A-1", ...}
//	func(ctx, In) ([]Order, error)   {"value": [...]}: structured content is an object
//	func(ctx, In) (string, error)    {"text": "..."}
//
// Structured content always fits the schema. A result that does not fit, such as one that middleware or
// another server has changed, is sent as text alone, and logged; strict clients refuse it then. Error
// results are text alone. Some clients show both forms to the model, which pays twice:
// [Options.TextOnly] and [registry.TextOnly] leave out schemas and structured content.
//
// # Limits
//
//   - Resources, prompts and skills of sources are not served.
//   - Results are not gated: a large one is sent whole.
//   - A type that contains itself, an interface, and a type with its own MarshalJSON have no output schema.
//     Inside another type, their part of it accepts anything. So does that of a struct with an embedded
//     pointer or the json option string.
//   - Clients up to 2025-11-25 get no output schema of another server that is not of an object.
//   - There are no dry runs. A function that needs the token of one ([control.Plans]) cannot be
//     called.
//   - Clients are notified of changes of the list ([serve.Changing]) if the source reports them
//     ([registry.Watched]). Otherwise they see a change when they list again. A list that changes
//     between two of its pages, of 1,000 tools each, may lack new tools. It never has a tool twice.
//   - An embedder's own tool ([Server.AddTo]) is hidden by a function of the same name.
//   - A function with an invalid schema from its server is listed with one that accepts any object.
//     Its server checks the arguments.
package plain
