// Package serve is what every face needs around the MCP SDK: the two
// generations of HTTP on one URL, the identity of each request, recovery from
// panics, and draining on shutdown.
//
// The options of every face have the field Serve, of type [Options]: what all faces
// have in common. [Options.Pipeline] makes a pipeline of them. The server of a face
// embeds a [Server], so that it has AddTo, Run, Handler and Shutdown; a [Host] wraps
// the handlers of its tools:
//
//	                    ┌ stateful handler  (sessions, up to 2025-11-25) ┐
//	HTTP ─► token ─► by │                                                │─► one *mcp.Server ─► Tool
//	        hook   version ─ stateless handler (2026-07-28)              ┘        (identity, drain, recover)
//	stdio, in-memory ────────────────────────────────────────────────────►
//
// # Identity
//
// Who a request comes from is decided for each request anew: by
// [Options.Identify] if there is one; else, over HTTP, by the bearer token
// ([Options.VerifyToken]) or by the caller that the embedder's own middleware
// put into the HTTP request's context; else, on stdio and in memory, by the
// caller in the context that Run was given.
//
// # Changes
//
// Tools that depend on who asks ([Listed]) come and go with the registry. A client
// that has listed them is told when what it sees itself is different
// (notifications/tools/list_changed, see [Changing]), and of nothing that happens to
// what it does not see.
//
// # Limits
//
// To notice a change, the list of each client is made anew and compared: with many
// clients and thousands of tools that takes a while, and half of the time of one
// processor at most. What a rule of visibility finds in the context then is the
// caller and nothing else. Further clients than 10,000 are not told. Who cannot be
// reached, because it has no stream, is told again for some seconds, and then of the
// next change.
//
// Every message is read once by a strict reader before the SDK decodes any of it,
// over HTTP and on lines alike: size, depth and number of values are bounded, and
// what is not a message of the protocol is refused with its id where it has one.
// Ids are repeated exactly on lines; over HTTP, numbers that the SDK would round are
// refused. A result or error that has no JSON form becomes an internal error.
//
// Bodies are bounded in size, in the time that they take to arrive, and all
// together: the large ones that are worked on at a time have eight times
// [Options.MaxBody]. A connection that Run serves has at most [Options.MaxCalls] in
// flight, with as many bytes. Options also bound the idle time and the number of
// sessions. The number of HTTP requests at a time is the HTTP server's to bound, and
// so is the time that headers take: set ReadHeaderTimeout.
package serve
