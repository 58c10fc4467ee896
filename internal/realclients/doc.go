// Package realclients drives the examples with clients and servers that nobody
// here wrote, because a server and a client by the same hand agree on their
// mistakes. It has tests only, behind the build tag realclients:
//
//	CASH_NPM_DIR=<folder> go test -tags realclients ./internal/realclients/...
//
// CASH_NPM_DIR names a folder in which the packages of .ci/package.json are
// installed; .ci/run makes one. Without it the tests fail: a skipped partner
// would look like one that agrees.
//
// Clients of the shop, and of an aggregator of it:
//
//   - MCP Inspector, over stdio and HTTP, in both protocol generations: three
//     tools, help at two levels, skills, a call, a gated one, an unknown function.
//   - The official conformance suite, over HTTP, for each protocol revision:
//     every check that needs nothing beyond the three tools must pass. What the
//     suite cannot find here, such as a tool named test_simple_text, is excused
//     check by check; a failure without an excuse and an excuse without a
//     failure are both errors. The MCP SDK's server for the suite has such tools:
//     they pass through an aggregator and the plain face.
//
// The faces plain, facade and disclosure of the shop, the first two of the
// aggregator, too:
//
//   - MCP Inspector, whose runs are sessions of their own: lists, calls, wrong
//     ones, descriptions, and no call by what another session has read.
//   - The TypeScript SDK, by the script in testdata: its first version at
//     2025-11-25, its second at that and 2026-07-28, over stdio and HTTP. The two
//     stages of disclosure in one session beside another, and with grants where
//     there are no sessions.
//
// Servers from npm behind the aggregator as a gateway and as a proxy, for MCP
// Inspector in both protocol generations and for the SDK's client:
//
//   - Three tools and four for resources and prompts, whatever is behind them;
//     cards by query and path, calls, wrong ones, dry runs, resources, prompts.
//   - A document of 150 KB stays behind a handle, is looked into by it, and is
//     whole when its pages are put together. Who else has the handle reads nothing.
//   - A proxy lists every tool stripped, in pages if there are many, and hydrates
//     and executes it by its id, or by a name of letters and digits.
//
// Servers behind the aggregator, each compared with itself when it is asked
// directly: the reference servers everything (over stdio, streamable HTTP and
// the older HTTP with server-sent events), filesystem and memory.
//
//   - Every tool is a function, with the same schema to the byte.
//   - Every tool is called, and fails, in several ways: the same content, and
//     the same structured content to the byte.
//   - Progress, log messages and questions of a running call reach the client
//     that made it, of either generation.
//   - A server whose process is killed is unavailable until it is back.
//
// The server in mcpgo, which is built with an SDK that has nothing in common with
// the one used here, over stdio, HTTP of both generations and the older one:
//
//   - The same of its tools and calls, of questions, progress and calls that are
//     given up; and a tool that it gets while it runs.
//
// # Limits
//
// The tests expect a Unix with /bin/sh, the layout that npm has there, and a
// loopback interface on which a port that was free a moment ago still is.
// Excuses are for the pinned version of the suite: a newer one brings new
// scenarios, which fail until somebody has decided about them. What servers say
// of the time, of sessions and of their folders is masked before it is compared.
package realclients
