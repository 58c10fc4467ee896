// Package observe tells an embedder what becomes of each request that a server gets, and of each request that the
// server sends to others: for logs, metrics and traces.
//
//	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: hook}})
//	agg := upstream.New(reg, &upstream.Options{Observe: hook})
//
// A [Hook] is told of a request twice, in Begin and in End. The first setting tells it of what is served, the second of
// what is sent to upstream servers. Two settings, because servers are connected, and their lists read, while nothing is
// served. [Hooks] combines several hooks.
//
//	                 Begin                                                          End
//	a request served ├─ look-up, repairs, arguments, controls ─┬─ function ─┬─ gate ─┤
//	                                                           │Begin    End│
//	                               a request sent to upstream  ├────────────┤
//
// What is served is every message of every face, over all transports and without one: calls, lists, resources, skills,
// the handshake, and what is refused before it is understood. The context that Begin returns is that of all the work, so
// what is sent for a call begins within it. Begin may add to the metadata that is sent, such as a traceparent, and reads
// that of a served request.
//
// A [Record] is how the layers fill in a [Request]. Middleware may note on that of its call, registry.Call.Record.
//
// # Limits
//
//   - The names that a hook gets are bounded in number: those of the server's tools, functions and upstream servers, and
//     of the protocol. Owner, Session, Meta and Header are not: they are no labels of metrics. Arguments, results and
//     texts of errors are not told.
//   - A hook runs inside the request, which waits for it.
//   - Work that was abandoned changes nothing after End. A request that it has sent may end after that.
//   - A subscription, subscriptions/listen, lasts as long as the client listens.
//   - Not told are requests to clients, such as elicitation, and those of upstream servers to this one.
package observe
