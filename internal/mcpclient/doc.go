// Package mcpclient has the transports to MCP servers that nobody vouches for.
//
// The SDK's client stays the client. What is here are its transports, one for
// each connection, which bound and check what comes in, say what went wrong in
// types, and keep the JSON of results as it came over the wire, which the SDK
// decodes through any: the order of keys and integers beyond 2^53 would be lost.
//
//	t := mcpclient.HTTP("https://example.com/mcp", nil, mcpclient.Options{})
//	session, err := client.Connect(ctx, t, nil)
//	...
//	ctx, x := mcpclient.WithExchange(ctx)
//	_, err = session.CallTool(ctx, params)
//	if e := x.Err(); e != nil {
//		return e, x.Sent() // an *Error; whether the call may have been run
//	}
//	return x.Result()
//
// [Stdio], [SSE] and [Tap] are one connection of messages each:
//
//	process, event stream ─► lines, events ─► parse ─► conn ─► SDK
//	                         (bounded)       (checked)  └─► Exchange, by id
//
// [HTTP] is the SDK's streamable transport over an [http.RoundTripper] that
// sees every answer first, and holds the streams of events itself:
//
//	SDK ─► rounds ─► http.Client ─► door (this host only) ─► transport
//	         └─► Exchange, by context
//
// A message that is none, or too large, or nested too deeply, fails the call
// that it answers and is dropped. The connection goes on, and so do the other
// calls. A stream of events over HTTP that ends is opened again: a call's from
// the last event with an id, that of the server's own messages always. Where
// there is no such event the call fails at once.
//
// # Limits
//
// The answer that is dropped is matched to its call by the id at the beginning
// or end of the message, as the known implementations write it. If a message on
// a process's output or a legacy event stream is too large and has no such id,
// all calls in flight on that connection fail.
//
// What is no message may take 16 MiB between two messages; then the connection
// ends, or the stream with its call. A server may have 64 requests of its own
// unanswered; others are refused. It may send a million messages of its own in a row
// while a request waits for its answer; then the connection ends, or over HTTP that
// request. Notifications are queued by the SDK without a bound: their handlers must
// not block. Lines of an event stream end with LF or CRLF, not with CR alone.
//
// Redirects are followed to the same scheme, host and port only, and only those
// that keep the method. Whether a request was sent is known from
// [net/http/httptrace]; with a RoundTripper that does not report there it counts
// as sent, unless the error is one of dialling.
//
// On Unix a command has a process group of its own, and what leaves the group
// is not ended with it. Elsewhere a command cannot be asked to end other than by
// closing its input; on Windows its tree is ended with taskkill. If this process
// is killed, its commands are not: they see the end of their input.
package mcpclient
