// Package disclosure serves the functions of a registry in two stages. tools/list has every tool with one sentence. The
// full description, with the schema of the parameters, is a resource that the model fetches before it first calls the
// tool (specification: MCP Extension, Progressive Disclosure for Tool Descriptions).
//
//	srv := disclosure.NewServer(reg, &disclosure.Options{Name: "shop", Version: "1.0.0"})
//	err := srv.Run(ctx, &mcp.StdioTransport{})
//
// The calls of a model:
//
//	tools/list                                                  orders-create: Create a new order for a customer.
//	tools/call      orders-create                               TOOL_DESCRIPTION_REQUIRED, and the URI to read
//	resources/read  resource:///tool_descriptions?tools=orders-create   the schema, examples, notes
//	tools/call      orders-create {"customer_id": "C-42"}       the order
//
// A fetch authorises its tools for its session only. Visibility and policy apply as in every face. The names of the
// tools are the functions' flat names ([registry.Function.FlatName]). Arguments are validated against the full schema.
//
// # Descriptions
//
// A description is made from the function: its description and schema, calls made from the examples in its tags, its
// result and its effects. A folder with one file per tool can override it ([ReadDescriptions]):
//
//	{"name": "orders-create",
//	 "description": "Creates an order and reserves the stock.",
//	 "examples": [{"description": "One item", "input": {"customer_id": "C-42"}}],
//	 "usage_guidance": {"before": "Look up the customer first."},
//	 "error_guidance": {"FAILED": "Items may be out of stock."},
//	 "version": "2"}
//
// All members are optional. A file has no schema; the function's is used.
//
// # Sessions
//
// A session is a connection over stdio or in memory, or has an id over HTTP. Callers that share a session share its
// fetches and its fetch limit, but not what they may see and call. From 2026-07-28 on, MCP has no sessions over HTTP.
// Clients of that version fall back to an earlier one, unless [Options.Grants] serves them too.
//
// # Errors
//
// Every error is {"error":{"code":...,"message":...}} as text. A failed call has isError. A failed fetch is an ordinary
// result, so that the model sees it. The codes are those of [Code] and of [registry.Kinds]. A tool that the caller may
// not see is the protocol's unknown tool, like one that does not exist.
//
// # Limits
//
//   - The authorisation makes sure that a model has read what it calls. It is no protection, and neither are grants.
//   - Many clients do not let their model read resources. They need another face.
//   - Skills are not served.
//   - The state of a session is freed by the garbage collector, after the last use of the session.
//   - A fetch may name up to 1,000 tools. A list of available tools has up to 50 names.
//   - A description file has at most 256 KiB.
//   - Minimal descriptions are made by rules for English.
package disclosure
