// Package realclients tests the examples against foreign clients and servers, because a client and a server by the same
// authors share their mistakes. It has tests only, behind the build tag realclients:
//
//	CASH_NPM_DIR=<folder> go test -tags realclients ./internal/realclients/...
//
// CASH_NPM_DIR is a folder with the packages of .ci/package.json installed; .ci/run makes one. The tests fail without
// it, because a skipped partner would look like one that agrees.
//
// Clients of the shop, and of an aggregator of it:
//
//   - MCP Inspector, over stdio and HTTP, in both protocol generations: three
//     tools, help at two levels, skills, a call, a gated one, an unknown function.
//
//   - The official conformance suite, over HTTP, for each protocol revision: every check that needs nothing beyond the
//     three tools must pass. Checks that need more, such as a tool named test_simple_text, are excused one by one. A
//     failure without an excuse is an error, and so is an excuse without a failure. The MCP SDK's server for the suite
//     has such tools; it is tested through an aggregator and the plain face.
//
//   - The TypeScript package of the skills extension (@olaservo/ext-skills): its client lists the skills, verifies and
//     reads all files and walks the directories, at 2025-11-25 and 2026-07-28. A server that is made with it is mounted,
//     and its skills come through to that client.
//
// Clients of the faces plain, facade and disclosure of the shop, and of the first two of the aggregator:
//
//   - MCP Inspector, with a new session for each run: lists, calls, wrong calls, descriptions. A call is refused if
//     only another session has read the description.
//   - The TypeScript SDK, with the script in testdata: version 1 at 2025-11-25, version 2 at that and 2026-07-28, over
//     stdio and HTTP. Both stages of disclosure in one session beside another, and with grants where there are no
//     sessions; the second stage by a tool, too.
//
// The guide of the command cash: every command in it is run on the servers from npm, and prints what stands there. With
// -guide, the test writes it there.
//
// Servers from npm behind the aggregator as a gateway and as a proxy, for MCP
// Inspector in both protocol generations and for the SDK's client:
//
//   - Three tools, and four for resources and prompts, whatever servers are behind them: cards by query and path,
//     calls, wrong calls, dry runs, resources, prompts.
//   - A document of 150 KB stays behind a handle. Views show parts of it, and all pages together are the whole. Another
//     client with the same handle reads nothing.
//   - A proxy lists every tool stripped, in pages if there are many. It hydrates and executes a tool by its id, or by a
//     name of letters and digits.
//
// Servers behind the aggregator, each compared with direct access to it: the reference servers everything (over stdio,
// streamable HTTP and the older HTTP with server-sent events), filesystem and memory.
//
//   - Every tool is a function, with the same schema to the byte.
//   - Every tool is called, successfully and with several failures: the same content, and the same structured content
//     to the byte.
//   - Progress, log messages and questions of a running call reach the client
//     that made it, of either generation.
//   - A server whose process is killed is unavailable until it is back.
//
// The server in mcpgo, built with an unrelated SDK, over stdio, HTTP of both generations and the older HTTP:
//
//   - Its tools and calls, as above; questions, progress, cancelled calls, and a tool added at run time.
//
// # Limits
//
// The tests expect a Unix with /bin/sh, npm's layout of folders there, and a loopback interface. Excuses belong to the
// pinned version of the suite. Scenarios of a newer version fail until they are excused or pass. Times, sessions and
// folders in the servers' answers are masked before comparison.
package realclients
