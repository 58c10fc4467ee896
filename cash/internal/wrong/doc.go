// Package wrong has servers that keep every row of package cash/check but one, so that tests show that the check of
// each row can fail, and fails alone. There is one for each kind of server:
//
//	q := &wrong.CaSH{Row: "R40"}       // its help() lists more than top-level namespaces
//	report, err := check.Compliance(ctx, check.Target{
//		Transport: func() mcp.Transport { return client.InMemory(ctx, q) },
//	})
//
// Without a row, a server is sound. The servers are those of another maker: written on the SDK alone. [Cases] serves all
// of them over HTTP, for tests of a command.
//
// # Limits
//
// Rows that no black box can check have no server, nor have those of the attack on a server (cash/cashtest/faulty has
// servers with faults of transports and messages).
package wrong
