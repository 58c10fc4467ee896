// Package facade serves a registry as domains. Each top-level namespace becomes one tool, which runs the functions of
// the namespace as commands (specification of domain facades). A model reads one description per domain instead of one
// per function.
//
//	reg := registry.New(nil)
//	reg.Namespace("orders", "Create and manage customer orders.").Add(create, list, cancel)
//	srv := facade.NewServer(reg, &facade.Options{Name: "shop", Version: "1.0.0"})
//	err := srv.Run(ctx, &mcp.StdioTransport{})
//
// A client sees OrdersExecute, whose description has the commands, each with a sentence and its parameters as far as
// there is room:
//
//	OrdersExecute {"cmd":"create","params":{"customer_id":"C-42","items":[…]}}
//	→ {"ok":true,"cmd":"create","data":{"order_id":"ORD-1001",…}}
//
//	OrdersExecute {"cmd":"list","detail":"minimal"}
//	→ {"ok":true,"cmd":"list","data":[{"order_id":"ORD-1001"},…],"count":17}
//
//	OrdersExecute {"cmd":"refund"}
//	→ {"ok":false,"cmd":"refund","error":"Unknown command: refund. Available commands: help, …"}
//
// A function of a nested namespace is a command with dots: create of orders.retail is retail.create. The functions of
// the root are commands of a domain of their own ([Options.Root]). Commands ignore case; they are exact otherwise.
//
// # Help
//
// Every domain has the command help. It lists the commands, in pages, or finds them by words, or describes one:
//
//	OrdersExecute {"cmd":"help","params":{"query":"give money back"}}
//	→ {"ok":true,"cmd":"help","data":{"commands":[{"name":"retail.refund","params":"order_id",…}]},"count":1}
//
//	OrdersExecute {"cmd":"help","params":{"command":"create"}}
//	→ {"ok":true,"cmd":"help","data":{"name":"create","description":…,"safety":"writes",
//	   "params":[{"name":"customer_id","type":"string","required":true,…},…],…}}
//
// If a page does not have everything, next_offset is the offset of the next one. A function called help keeps its name:
// the command described here is then help-2 in that domain, as the description of the tool says.
//
// The parameters of a command are also in the error of a call with invalid params:
//
//	OrdersExecute {"cmd":"create"}
//	→ {"ok":false,"cmd":"create","error":"Invalid arguments: customer_id: missing; … Parameters of create:
//	  customer_id (string, required), items (array of {product_id: string, quantity: integer}, required), …"}
//
// # Responses
//
// A [Response] is sent as text, and unless [Options.TextOnly] or [registry.TextOnly] is set, as structured content too.
// The function's result becomes its data:
//
//   - a value: its JSON, with the same numbers and order of keys
//   - a text: the JSON object or array that it spells, else a string
//   - several contents: an array
//   - a content that is not text: an object that describes it; the content itself follows the envelope
//
// The count is that of [registry.Result]. The levels of detail are those of [registry.Detail], standard by default.
// They trim the results of typed functions, before those become JSON.
//
// # Built-in domains
//
// [Options.Tools] adds ToolsExecute. With it a model lists, describes, validates and runs all functions by their dotted
// names. [Options.Search] adds SearchExecute. A namespace of the same name hides a built-in domain. Package
// [github.com/cash-mcp/go-sdk/cash/facade/files] has functions for a domain of files.
//
// # Limits
//
//   - A domain's description has at most 2,000 bytes, because clients cut longer ones. Beyond that, commands lose their
//     parameters, then their sentences, and then only their number is shown. All descriptions of a server together have
//     4,200 bytes, unless the names of the commands need more.
//   - The data of help has at most some 8,000 characters.
//   - Text, and JSON from other servers, is the same at every level of detail.
//   - Without TextOnly, a model may pay for a response twice: some clients show text and structured content.
//   - The size of a response is unlimited without a [github.com/cash-mcp/go-sdk/cash/control.SizeLimit].
//   - JSON that clients cannot read is sent as a string: a number beyond float64, a duplicate key, more than 500
//     levels.
//   - Skills are not served.
package facade
