// Package facade serves a registry as domains: one tool for each top-level
// namespace, which runs the functions in it as commands (specification of
// domain facades). A model reads one description for a domain where it would
// read one for each of its functions.
//
//	reg := registry.New(nil)
//	reg.Namespace("orders", "Create and manage customer orders.").Add(create, list, cancel)
//	srv := facade.NewServer(reg, &facade.Options{Name: "shop", Version: "1.0.0"})
//	err := srv.Run(ctx, &mcp.StdioTransport{})
//
// A client sees OrdersExecute, whose description names the commands:
//
//	OrdersExecute {"cmd":"create","params":{"customer_id":"C-42","items":[…]}}
//	→ {"ok":true,"cmd":"create","data":{"order_id":"ORD-1001",…}}
//
//	OrdersExecute {"cmd":"list","detail":"minimal"}
//	→ {"ok":true,"cmd":"list","data":[{"order_id":"ORD-1001"},…],"count":17}
//
//	OrdersExecute {"cmd":"refund"}
//	→ {"ok":false,"cmd":"refund","error":"Unknown command: refund. Available commands: …"}
//
// A function of a namespace below is a command with dots: that of orders.retail
// is retail.create. Functions of the root are commands of a domain of their own
// ([Options.Root]). Case has no meaning in commands, and everything else has.
//
// The description has the names of the parameters alone, for it is paid for in
// every turn. Their types, and what is inside of objects, stand in the error of a
// call whose params do not fit:
//
//	OrdersExecute {"cmd":"create"}
//	→ {"ok":false,"cmd":"create","error":"Invalid arguments: customer_id: missing; … Parameters of create:
//	  customer_id (string, required), items (array of {product_id: string, quantity: integer}, required), …"}
//
// # Responses
//
// A [Response] stands in a result as text and as structured content. What a
// function returns becomes its data: a value as its JSON, with its numbers and
// the order of its keys; a text as a string, or as the JSON that it is if that is
// an object or an array; several contents as an array. What is no text stands
// in there as an object that says what it is, and follows the envelope as a
// further content. The count is that of [registry.Result].
//
// The levels of detail are those of [registry.Detail], and standard where a
// request names none: they trim what typed functions return, before it becomes
// JSON.
//
// # Built-in domains
//
// [Options.Tools] adds ToolsExecute, by which a model finds, reads, checks and
// runs all functions by their dotted names. [Options.Search] adds SearchExecute.
// What a caller's own namespace is called wins over both. Package
// [github.com/cash-mcp/go-sdk/cash/facade/files] has the functions of a domain
// for files.
//
// # Limits
//
// A domain's description has at most 2,000 bytes, where clients cut it: beyond
// that commands are named without their parameters, and then counted. Text, and
// JSON from other servers, is the same at every level of detail. A response is
// sent twice, as text and structured content, since clients show the model the
// one or the other; no size is too large unless there is a
// [github.com/cash-mcp/go-sdk/cash/control.SizeLimit]. JSON that clients would not
// read (a number beyond float64, a key that stands twice, more than 500 levels) is
// sent as a string. Skills are not served.
package facade
