// Package cashtest is a test kit for servers built with this module, and for any other CaSH server.
//
// A client in memory:
//
//	client := cashtest.Connect(t, srv)
//	reply := client.Call("orders", "get", map[string]any{"order_id": "ORD-1001"})
//
// The same client over other transports:
//
//	cashtest.ConnectHTTP(t, cashtest.Serve(t, srv.Handler())) // over HTTP
//	cashtest.ConnectCommand(t, exec.Command("./shop"))      // a child process
//	cashtest.Dial(t, transport)                             // anything else
//	(&cashtest.Dialer{Version: "2025-11-25"}).Connect(t, srv) // with options
//
// The four links, in memory and over HTTP, with sessions and without, each in a subtest:
//
//	for _, link := range cashtest.Links() {
//		t.Run(link.String(), func(t *testing.T) {
//			client := link.Connect(t, srv, caller, nil)
//			...
//
// The checks of package check, each row in a subtest with its name:
//
//	func TestCompliance(t *testing.T) {
//		cashtest.Compliance(t, check.Target{
//			Transport: func() mcp.Transport { return cashtest.InMemory(srv) },
//			Strict:    true,
//			Read:      &check.Sample{Namespace: "orders", Function: "get", Kwargs: map[string]any{"order_id": "ORD-1001"}},
//		})
//	}
//
//	Compliance  a CaSH server follows the specification
//	Disclosure  a server of two-stage disclosure follows its own
//	Skills      a server follows the skills extension of MCP
//	Hostile     a server withstands odd, broken and oversized messages
//	Budget      a server stays within a model's budget
//
//	cashtest.Budget(t, client, check.Budget{Tools: 2000, Index: 1000, Namespace: 2000, Function: 3000})
//
// [LintClean] lints the registered functions. Package faulty has misbehaving servers, for tests of code that mounts
// servers. Package storetest has suites for stores that replicas share.
//
// # Levels
//
// Compliance, Disclosure and Skills require each MUST of their specification. A recommendation, or a rule inferred where
// the text is silent, is logged as "should: ..."; with Strict it fails the test. Each unchecked row is logged as
// "not checked: ...".
//
// # Limits
//
// A check runs completely before its subtests report: selecting one with -run saves no time. The limits of package
// check apply.
package cashtest
