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
// # Minimal descriptions
//
// The line of a function in tools/list is made of whole sentences of its description (section 3.1):
//
//   - the first one that says what the function does, and one that says when to use it
//   - every warning: deprecated, use another one, cannot be undone, not for this
//
// Code, JSON, examples and parts about parameters are left out. Code in backquotes is kept whole, or left out with its
// clause. Parameters that are identifiers are spelled as words: customer_id is customer id. Functions with equal lines
// get their namespace, their next sentence, or their name in addition; functions that the caller does not see have no
// influence. A line has at most 300 characters. With [registry.Summary] the author writes it; that text is used as it
// is.
//
// # Full descriptions
//
// A description is made from the function: its description and schema, calls made from the examples in its tags, its
// result and its effects. Guidance that is the same for all tools is in the first description of an answer. A folder
// with one file per tool can override descriptions ([ReadDescriptions]):
//
//	{"name": "orders-create",
//	 "description": "Creates an order and reserves the stock.",
//	 "examples": [{"description": "One item", "input": {"customer_id": "C-42"}}],
//	 "usage_guidance": {"before": "Look up the customer first."},
//	 "error_guidance": {"FAILED": "Items may be out of stock."},
//	 "version": "2"}
//
// All members are optional. The object may be a member with the name of the tool, as section 11.3 prints it. The schema
// that is shown is the function's, which calls are held to. An inputSchema in a file is compared with it: differences
// are logged, once per change, as JSON pointers. What the file leaves out of a schema, except for parameters and
// required, is no difference.
//
// # Sessions
//
// A session is a connection over stdio or in memory, or has an id over HTTP. Callers that share a session share its
// fetches and its fetch limit, but not what they may see and call. From 2026-07-28 on, MCP has no sessions over HTTP.
// Clients of that version fall back to an earlier one, unless [Options.Grants] serves them too. A grant is never valid
// in a session.
//
// Replicas of a server share the keys of [Options.Grants] and the store [Options.Fetches]: then a grant of one is valid
// at all of them, and a caller without a session has one fetch limit. A session stays on its replica.
//
// # Clients that cannot read resources
//
// Many clients do not let their model read resources, and MCP does not tell which. [Options.Tool] adds a read-only tool
// that answers as the resource does:
//
//	tools/call  tool_descriptions {"tools": ["orders-create"]}
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
//   - Skills are not served.
//   - The state of a session is freed by the garbage collector, after the last use of the session.
//   - A fetch may name up to 1,000 tools. A list of available tools has up to 50 names.
//   - A description file has at most 256 KiB.
//   - Minimal descriptions are made by rules, of the first 4,000 bytes of a description. Warnings are found by words of
//     English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Turkish, Russian, Chinese, Japanese,
//     Korean, Arabic and Hindi, and not in sections about parameters, results or examples.
//   - A parameter whose name is an ordinary word, such as limit, stays in a minimal description.
//   - An anonymous grant is valid for every client without a session that holds it.
package disclosure
