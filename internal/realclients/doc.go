// Package realclients drives the shop example with clients that nobody here
// wrote, because a server and a client by the same hand agree on their
// mistakes. It has tests only, behind the build tag realclients:
//
//	CASH_NPM_DIR=<folder> go test -tags realclients ./internal/realclients/...
//
// CASH_NPM_DIR names a folder in which the packages of .ci/package.json are
// installed; .ci/run makes one. Without it the tests fail: a skipped partner
// would look like one that agrees.
//
//   - MCP Inspector, over stdio and HTTP, in both protocol generations: three
//     tools, help at two levels, skills, a call, a gated one, an unknown function.
//   - The official conformance suite, over HTTP, for each protocol revision:
//     every check that needs nothing beyond the three tools must pass. What the
//     suite cannot find here, such as a tool named test_simple_text, is excused
//     check by check; a failure without an excuse and an excuse without a
//     failure are both errors.
//
// # Limits
//
// The tests expect the layout that npm has on Unix, and a loopback interface.
// Excuses are for the pinned version of the suite: a newer one brings new
// scenarios, which fail until somebody has decided about them.
package realclients
