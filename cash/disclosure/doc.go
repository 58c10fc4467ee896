// Package disclosure serves the functions of a registry in two stages: tools/list
// names every tool with a sentence, and the whole of a description, with the
// schema of the parameters, is fetched from a resource before a tool is first
// called (specification: MCP Extension, Progressive Disclosure for Tool
// Descriptions).
//
//	srv := disclosure.NewServer(reg, &disclosure.Options{Name: "shop", Version: "1.0.0"})
//	err := srv.Run(ctx, &mcp.StdioTransport{})
//
// What a model does with it:
//
//	tools/list                                                  orders-create: Create a new order for a customer.
//	tools/call      orders-create                               TOOL_DESCRIPTION_REQUIRED, and the URI to read
//	resources/read  resource:///tool_descriptions?tools=orders-create   the schema, examples, notes
//	tools/call      orders-create {"customer_id": "C-42"}       the order
//
// A fetch authorises its tools for the session that it was made in, and for
// nothing else: what a caller may see and may do is decided before and after, as
// in every face. Names are the functions' flat names
// ([registry.Function.FlatName]). Arguments are held to the whole schema.
//
// # Descriptions
//
// What is fetched is made from the function: its description, its schema, calls
// made from the examples in its tags, what it returns and changes. A folder of
// files, one for each tool that needs more, overrides that ([ReadDescriptions]):
//
//	{"name": "orders-create",
//	 "description": "Creates an order and reserves the stock.",
//	 "examples": [{"description": "One item", "input": {"customer_id": "C-42"}}],
//	 "usage_guidance": {"before": "Look up the customer first."},
//	 "error_guidance": {"FAILED": "Items may be out of stock."},
//	 "version": "2"}
//
// All members are optional. The schema is no part of it: it is the function's.
//
// # Sessions
//
// A session is a connection over stdio or in memory, and one with an id over HTTP.
// Callers who share one share what is fetched in it and how often; what each of them
// may see and do is not shared.
// MCP has no sessions over HTTP from 2026-07-28 on; clients of that version
// fall back to an earlier one, unless [Options.Grants] serves them as well.
//
// # Errors
//
// All are {"error":{"code":...,"message":...}} in the text: of a result with
// isError for calls, and of a result as any other for fetches, where a model sees
// it. The codes are those of [Code] and of [registry.Kinds]. A name that the
// caller does not see is the protocol's unknown tool, whether or not it exists.
//
// # Limits
//
// The authorisation is there so that a model has read what it calls. It is no
// protection, and grants are none.
//
// Many clients do not let their model read resources; those need another face.
// Skills are not served. What is known of a session is freed when the garbage
// collector finds that nothing uses the session any more. A fetch may name up to
// 1,000 tools, and there are 50 names in a list of what is available. Of a
// description, up to 256 KiB are read from a file. Minimal descriptions are made
// by rules for English.
package disclosure
