// Package check checks a running MCP server from outside and returns rows, each a
// statement with its evidence. It needs neither package testing nor this module's
// server: tests use it through package cashtest, tools and pipelines directly.
//
//	report, err := check.Compliance(ctx, check.Target{
//		Transport: func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} },
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Print(report)
//
// There are four checks:
//
//	Compliance    a CaSH server keeps the RFC: R1, R2 and so on
//	Disclosure    a server of two-stage disclosure keeps its specification: C1 to C8, P2 and so on
//	Hostile       a server stands what is odd, broken and too large
//	Budget.Check  a CaSH server costs a model no more than it may
//
// # Compliance and Disclosure
//
// Both go through a list of criteria over the SDK's client, the server a black box:
//
//	Target ─► suite: one connection, ─► criteria ─► probe: asks and ─► rows
//	          what help lists           and needs    compares
//
// They demand what the specification has at the level of MUST. What it recommends, and
// what was inferred where its text is silent, is a note "should: ..." of the row, and a
// failure if Strict is set. A row is not checked where the target lacks what it needs.
//
// In the order in which they are used: target.go, suite.go and needs.go; tree.go and
// page.go, which read help; then the criteria, for Compliance those of compliance.go from
// tools.go to limits.go, for Disclosure those of disclosure.go.
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
// In the order in which they are used: hostile.go; link.go over a wire.go, which is a
// pipe.go to a process.go or a web.go; known.go asks what the server has; method.go,
// slot.go and text.go are put together by product.go; special.go, broken.go and load.go
// are the further rows; judge.go compares with the statements what answer.go has read.
//
// # Limits
//
// A black box shows what it answers and nothing else. Compliance discovers names
// through help, of at most 500 pages; what a call does cannot be discovered, so no
// function is called that the Target does not name. Samples must be deterministic: the
// same call gives the same answer. Disclosure reads descriptions of at most 50 tools,
// calls only those that its target names, and does not wait for what a server does over
// time (limits of fetches, grants that expire). Rows about registration, about the
// manifest and about aggregation are not checked.
//
// Hostile calls every tool that is listed, with arguments that may be valid: attack a
// server whose functions may run. Nothing is known of what an answer should say, but
// that it is one. What a server asks of its client has no answer. One message is under
// way at a time, but for reused-id and flood. A way that ends answers in some other
// order than it should, or a leak below 64 MiB, is not seen. Memory is that of one
// process, and known without [HostileTarget.Memory] on Linux and for Command only.
// Over HTTP there is no GET for the stream of a session, and no request that Go's
// client refuses to send.
package check
