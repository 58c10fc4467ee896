// Package mcpclient provides transports to untrusted MCP servers, for the SDK's client. Each transport serves one
// connection:
//
//	t := mcpclient.HTTP("https://example.com/mcp", nil, mcpclient.Options{})
//	session, err := client.Connect(ctx, t, nil)
//	...
//	ctx, x := mcpclient.WithExchange(ctx)
//	_, err = session.CallTool(ctx, params)
//	if e := x.Err(); e != nil {
//		return e, x.Sent() // an *Error; whether the call may have run
//	}
//	return x.Result()
//
// A transport bounds and checks incoming data, reports failures as typed errors, and keeps the JSON of results as
// it was on the wire. The SDK decodes through any, which loses the order of keys and integers beyond 2^53.
//
// [Stdio], [SSE] and [Tap] carry one connection of messages each:
//
//	process, event stream ─► lines, events ─► parse ─► conn ─► SDK
//	                         (bounded)       (checked)  └─► Exchange, by id
//
// [HTTP] is the SDK's streamable transport over an [http.RoundTripper] that sees every response first, and manages
// event streams itself:
//
//	SDK ─► httpSession ─► http.Client ─► originGuard (this host only) ─► transport
//	         └─► Exchange, by context
//
// A message that is invalid, too large or too deeply nested fails the call that it answers, and is dropped. The
// connection and other calls continue. An HTTP event stream that ends is reopened: for a call after the last event
// with an id, for the server's own messages always. Without such an event the call fails at once.
//
// # Limits
//
// A dropped answer is matched to its call by the id at the beginning or end of the message, where known
// implementations write it. If an oversized message on a process's output or a legacy event stream has no such id,
// all calls on that connection fail.
//
//   - Invalid data may take 16 MiB between two messages. Then the connection ends, or the stream with its call.
//   - A server may have 64 unanswered requests of its own; others are refused.
//   - A server may send a million messages of its own in a row while a request waits. Then the connection ends, or
//     over HTTP that request.
//   - The SDK queues notifications without a bound: their handlers must not block.
//   - Lines of an event stream end with LF or CRLF, not with CR alone.
//
// Redirects are followed only to the same scheme, host and port, and only if they keep the method.
// [net/http/httptrace] tells whether a request was sent. With a RoundTripper that does not report to it, a request
// counts as sent unless dialling failed.
//
// On Unix a command has its own process group; processes that leave the group survive it. Elsewhere, a command is
// asked to end only by closing its input; on Windows its tree is ended with taskkill. If this process is killed,
// its commands see the end of their input.
package mcpclient
