// Package check checks a running MCP server from outside and returns rows, each a
// statement with its evidence. It needs neither package testing nor this module's
// server: tests use it through package cashtest, tools and pipelines directly.
//
//	report, err := check.Hostile(ctx, check.HostileTarget{
//		Command: func() *exec.Cmd { return exec.Command("./shop", "-stdio") },
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Print(report)
//
// # Hostile
//
// [Hostile] speaks JSON-RPC byte by byte, without an SDK, over each way that the
// target has, in both generations of the protocol:
//
//		             ┌ Command ─ stdio ┐
//		forms ×      │                 │   one answer?   its id?
//		slots ×  ──► ├ Serve ─── pipe  ├─► strict JSON?  what text?  ──► rows
//		payloads     │                 │   and then a ping
//		             └ URL ───── http  ┘
//
//	  - A form is a sound message: one for each method, notification and response,
//	    and one for each tool, resource and prompt that the server lists.
//	  - A slot is a place in it: each name and each value, from jsonrpc and id down
//	    to the arguments.
//	  - A payload takes that place: controls, surrogates, private use, bytes that are
//	    no Unicode, markup, escapes of terminals, JSON in JSON, paths, a megabyte of
//	    text, and values of every other type.
//
// All slots and all payloads come equally often, and after every message a ping must
// be answered. The rows are named stdio/2025-11-25/answered and so on:
//
//	answered    each request with a good id has an answer
//	once        nothing is answered twice
//	silent      notifications and responses have none (over HTTP: 202, or 4xx)
//	id          the answer has the id as it was sent
//	odd-id      null, a fraction, an object or an integer beyond 2^53-1 as id is refused
//	            or repeated, and never becomes another number
//	unreadable  what is no message is refused (over HTTP, 4xx with a body will do)
//	form        every message is strict JSON, with either result or error
//	error       an error has a code that is not 0, and a text of at most 2,000
//	            characters without controls
//	inside      no error tells of types, source files or stacks
//	alive       the ping after each message is answered
//	up          the process goes on, and so do connections
//	session     the session stays
//	memory      after the warm-up of a tenth it grows by at most 64 MiB
//
// Further rows are about messages that are odd as a whole: broken, envelope, twice,
// edge-ids, reused-id, batch, header, flood, deep, large and wide.
//
// A server is connected to anew when a message has ended its connection. After 20
// such messages, or 20 without an answer, the rest is not checked.
//
// # Limits
//
// Every tool that is listed is called, with arguments that may be valid: attack a
// server whose functions may run. Nothing is known of what an answer should say, but
// that it is one. What a server asks of its client has no answer. One message is under
// way at a time, but for reused-id and flood. A way that ends answers in some other
// order than it should, or a leak below 64 MiB, is not seen. Memory is that of one
// process, and known without [HostileTarget.Memory] on Linux and for Command only.
// Over HTTP there is no GET for the stream of a session, and no request that Go's
// client refuses to send.
package check
