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
//	→ {"ok":true,"cmd":"list","data":[{"order_id":"ORD-1001"},…],"count":17,"omitted":["[].notes"]}
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
// The count is that of [registry.Result]: every list has one.
//
// # Levels of detail
//
// The levels are those of [registry.Detail], standard by default. Tags of a function's output type choose what they
// show ([registry.Func]). All other results in JSON are trimmed by the rules of package registry: standard cuts
// long texts, minimal also shows only ids, names, titles, states and counts of the objects in lists. What minimal
// leaves out is in the member omitted, beside the data. The data gets no members of ours. [Options.Untrimmed] and
// [registry.Untrimmed] switch that off.
//
// A tool takes detail if the level changes the result of one of its commands. Where it does not, detail is ignored. A
// command that takes the levels as a parameter of its own, as a mounted server with domains does, gets the level and
// is not trimmed again. Other servers never get it.
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
//   - Text that is not JSON is the same at every level of detail, and so is each of several texts.
//   - Without TextOnly, a model may pay for a response twice: some clients show text and structured content.
//   - The size of a response is unlimited without a [github.com/cash-mcp/go-sdk/cash/control.SizeLimit].
//   - JSON that clients cannot read is sent as a string: a number beyond float64, a duplicate key, more than 500
//     levels.
//   - Skills are not served.
package facade
