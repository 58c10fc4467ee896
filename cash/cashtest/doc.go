// Package cashtest helps to test servers that are built with this module, and
// any other server that follows the CaSH model.
//
// A client in memory, in two lines:
//
//	client := cashtest.Connect(t, srv)
//	reply := client.Call("orders", "get", map[string]any{"order_id": "ORD-1001"})
//
// The same client over other transports:
//
//	cashtest.ConnectHTTP(t, server.URL)                     // an endpoint
//	cashtest.ConnectCommand(t, exec.Command("./shop"))      // a child process
//	cashtest.Dial(t, transport)                             // anything else
//	(&cashtest.Dialer{Version: "2025-11-25"}).Connect(t, srv) // with options
//
// In memory and over HTTP, with sessions and without, each in a subtest:
//
//	for _, link := range cashtest.Links() {
//		t.Run(link.String(), func(t *testing.T) {
//			client := link.Connect(t, srv, caller, nil)
//			...
//
// The checks of package check, each row a subtest of its name:
//
//	func TestCompliance(t *testing.T) {
//		cashtest.Compliance(t, check.Target{
//			Transport: func() mcp.Transport { return cashtest.InMemory(srv) },
//			Strict:    true,
//			Read:      &check.Sample{Namespace: "orders", Function: "get", Kwargs: map[string]any{"order_id": "ORD-1001"}},
//		})
//	}
//
//	Compliance  a CaSH server keeps the specification
//	Disclosure  a server of two-stage disclosure keeps its own
//	Hostile     a server stands what is odd, broken and too large
//	Budget      a server costs a model no more than it may
//
//	cashtest.Budget(t, client, check.Budget{Tools: 2000, Index: 1000, Namespace: 2000, Function: 3000})
//
// [LintClean] checks that what is registered reads well. Servers that misbehave, for
// those who mount other servers, are in package faulty.
//
// # Levels
//
// Compliance and Disclosure demand what their specification has at the level of
// MUST. What it recommends, and what was inferred where its text is silent, is
// logged as "should: ...", and fails the test only if Strict is set. A row that
// cannot be checked is named in a line "not checked: ...", never passed over.
//
// # Limits
//
// A check runs whole before its subtests report: choosing one of them with -run does
// not make it shorter. The limits of the checks are those of package check.
package cashtest
