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
// Whether a server keeps the specification, as a black box:
//
//	func TestCompliance(t *testing.T) {
//		cashtest.Compliance(t, cashtest.Target{
//			Transport: func() mcp.Transport { return cashtest.InMemory(srv) },
//			Strict:    true,
//			Read:      &cashtest.Sample{Namespace: "orders", Function: "get", Kwargs: map[string]any{"order_id": "ORD-1001"}},
//		})
//	}
//
// Whether a server of two-stage disclosure keeps the specification of that. Each
// of its eight criteria is a subtest, over sessions of the check's own; grants are
// passed on where the server gives them:
//
//	func TestDisclosure(t *testing.T) {
//		cashtest.Disclosure(t, cashtest.DisclosureTarget{
//			Transport: func() mcp.Transport { return cashtest.InMemory(srv) },
//			Strict:    true,
//			Call:      &cashtest.ToolCall{Tool: "orders-get", Arguments: map[string]any{"order_id": "ORD-1001"}},
//			Other:     &cashtest.ToolCall{Tool: "ping"},
//		})
//	}
//
// What a server costs a model, before it is deployed:
//
//	cashtest.Budget{Tools: 2000, Index: 1000, Namespace: 2000, Function: 3000}.Check(t, client)
//
// And whether what is registered reads well: [LintClean].
//
// Whether a server stands what is odd, broken and too large, over standard input
// and output and over HTTP ([check.Hostile]). It calls every tool that is listed:
//
//	func TestHostile(t *testing.T) {
//		cashtest.Hostile(t, check.HostileTarget{
//			Command: func() *exec.Cmd { return exec.Command("./shop", "-stdio") },
//			Calls:   []string{`{"name":"call","arguments":{"namespace":"orders","function":"get","kwargs":{"order_id":"ORD-1001"}}}`},
//		})
//	}
//
// # Faulty
//
// What a service does when a server that it has mounted misbehaves: a [Faulty]
// is such a server, over HTTP or as a process, with one of some fifty faults.
//
//	f := &cashtest.Faulty{Fault: cashtest.FaultHangAfter}
//	url := f.HTTP(t)        // mount it, and call its tool echo
//	f.Calls()               // how often it was really called
//	f.Heal()                // from now on it is sound
//
// [Faults] returns all of them, for a test of each.
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
// A black box shows what it answers and nothing else. Names are discovered
// through help, of at most 500 pages; what a call does cannot be discovered, so
// no function is called that the Target does not name. Samples must be
// deterministic: the same call gives the same answer. Disclosure reads descriptions
// of at most 50 tools, calls only those that its target names, and what a server
// does over time (limits of fetches, grants that expire) it does not wait for.
// Rows about registration (what is refused there), about the manifest and about
// aggregation are not checked here.
//
// While a call over HTTP meets a fault, what its tool asks and reports is not
// delivered. A process of a Faulty is a relay to the test, which does the work:
// signals and what happens to memory are those of the relay.
package cashtest
