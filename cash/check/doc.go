// Package check checks a running MCP server from outside. It returns rows: statements with evidence. It needs
// neither package testing nor this module's server. Package cashtest uses it in tests; tools and pipelines call it
// directly.
//
//	report, err := check.Compliance(ctx, check.Target{
//		Transport: func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} },
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Print(report)
//
// There are seven checks:
//
//	Compliance    a CaSH server follows the RFC: rows R1, R2 and so on
//	Disclosure    a server of two-stage disclosure follows its specification: rows C1 to C8, P2 and so on
//	Facade        a server of domain facades follows its specification: rows F1 and so on
//	Endpoint      a program follows the specification of the command endpoint: rows E1 and so on
//	Skills        a server follows the skills extension of MCP: rows skills/listed, skills/digests and so on
//	Hostile       a server withstands odd, broken and oversized messages
//	Budget.Check  a CaSH server stays within a model's budget
//
// # All but Hostile and Budget
//
// They run a list of criteria over the SDK's client; [Endpoint] starts its program for each request. The server is a
// black box:
//
//	Target ─► suite: one connection, ─► criteria ─► probe: asks and ─► rows
//	          the content of help       and needs    compares
//
// A row fails if the server breaks a MUST of the specification. A recommendation, or a rule inferred where the text
// is silent, gives a note "should: ..."; with Strict it fails too. A row is not checked if the target lacks what it
// needs.
//
// Reading order: target.go, suite.go and needs.go; tree.go and page.go, which read help; then the criteria: of
// Compliance in compliance.go and from tools.go to limits.go, of Disclosure in disclosure.go, of Skills in
// extension.go and extensionrows.go, of Facade in facade.go, of Endpoint in endpoint.go.
//
// # Hostile
//
// [Hostile] speaks JSON-RPC byte by byte, without an SDK, over each transport of the target, in both generations of
// the protocol:
//
//	             ┌ Command ─ stdio ┐
//	forms ×      │                 │   one answer?   its id?
//	slots ×  ──► ├ Serve ─── pipe  ├─► strict JSON?  what text?  ──► rows
//	payloads     │                 │   and then a ping
//	             └ URL ───── http  ┘
//
// A message combines these three:
//
//   - A form is a valid message: one for each method, notification and response, and one for each tool, resource
//     and prompt that the server lists. The methods of the skills extension are among them if the server declares it.
//   - A slot is a place in a form: each name and each value, from jsonrpc and id down to the arguments.
//   - A payload fills a slot: control characters, surrogates, private use, bytes that are not UTF-8, markup,
//     terminal escapes, JSON in JSON, paths, a megabyte of text, and values of every other type.
//
// All slots and payloads come equally often. After every message a ping must be answered. The rows have names such
// as stdio/2025-11-25/answered:
//
//	answered    each request with a valid id is answered
//	once        nothing is answered twice
//	silent      notifications and responses are not answered (over HTTP: 202, or 4xx)
//	id          the answer has the id as it was sent
//	odd-id      an id that is null, a fraction, an object or an integer beyond 2^53-1 is refused
//	            or repeated, and never becomes another number
//	unreadable  an invalid message is refused (over HTTP, 4xx with a body suffices)
//	form        every message is strict JSON, with either result or error
//	error       an error has a code other than 0, and a text of at most 2,000 characters
//	            without control characters
//	inside      no error mentions types, source files or stacks
//	alive       the ping after each message is answered
//	up          the process keeps running, and connections stay open
//	session     the session stays
//	memory      after a warm-up of a tenth of the messages, memory grows by at most 64 MiB
//
// Further rows are for messages that are odd as a whole: broken, envelope, twice, edge-ids, reused-id, batch,
// header, flood, deep, large and wide.
//
// If a message ends the connection, a new one is made. After 20 such messages, or 20 without an answer, the rest is
// not checked.
//
// Reading order: hostile.go; link.go, over a wire (wire.go), which is a pipe (pipe.go, process.go) or HTTP
// (web.go); known.go, which lists the server's content; product.go, which combines method.go, slot.go and text.go;
// special.go, broken.go and load.go for the further rows; answer.go and judge.go, which compare answers with the
// statements.
//
// # Limits
//
// A black box shows only its answers.
//   - Compliance discovers names through help, on at most 500 pages. It calls only functions named by the Target,
//     since effects cannot be discovered.
//   - Samples must be deterministic: the same call gives the same answer.
//   - Skills reads 100 pages, 200 skills, 1,500 files and 64 MiB.
//   - Disclosure reads descriptions of at most 50 tools, and calls only tools named by its target. It does not wait
//     for effects of time (limits of fetches, expiring grants).
//   - Rows about registration, the manifest and aggregation are not checked.
//   - Hostile calls every listed tool, with arguments that may be valid: attack only a server whose functions may
//     run.
//   - Hostile checks the form of an answer, not its content. Requests of the server are not answered.
//   - One message is in flight at a time, except for reused-id and flood. Wrong order of answers, and leaks below
//     64 MiB, are not detected.
//   - Memory is that of one process. Without [HostileTarget.Memory] it is known on Linux for Command only.
//   - Over HTTP there is no GET for the stream of a session, and no request that Go's client refuses to send.
package check
