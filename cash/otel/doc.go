// Package cashotel makes OpenTelemetry spans and metrics of the requests that a server gets, and of those that it sends
// to upstream servers. Set the same hook in both places:
//
//	hook := cashotel.New(nil) // uses OpenTelemetry's global providers
//	agg := upstream.New(reg, &upstream.Options{Observe: hook})
//	srv := cash.NewServer(reg, &cash.Options{Name: "shop", Serve: serve.Options{Observe: hook}})
//	hook.Watch("shop", srv.Stats)
//
// The package needs the API of OpenTelemetry only. Providers and exporters are yours; the folder example has a service
// with all of them.
//
// # Spans
//
// A span is named after the method and the function, not after the tool call, so that each function has its own:
//
//	POST /mcp                            the HTTP span of your own middleware
//	└ tools/call team.orders.create      server: call, tool_execute or whatever tool the face has
//	  └ tools/call team.orders.create    client: the request to the upstream server team
//	    └ tools/call orders.create       server: that server, in its own process
//
// What a client invents never becomes a name: an unknown function is a span "tools/call call". Names of attributes are
// those of the semantic conventions for MCP (mcp.*, gen_ai.*, error.type, network.*). Others begin with "cash.":
//
//	cash.outcome                         ok, asked, refused, or the kind of an error, such as INVALID_ARGUMENTS
//	cash.tool                            the tool, where the span has the name of a function
//	cash.upstream                        label of the upstream server
//	cash.request.size, cash.result.size  bytes
//	cash.result.tokens                   if something counted them
//	cash.repairs, cash.attempts          arguments that were repaired; tries of the function
//	cash.gated, cash.cached, cash.dry_run, cash.approval
//
// error.type is the JSON-RPC code, or the HTTP status, or tool_error for a result that is an error. The status of such
// a span is an error, with the outcome as its text. Arguments, results and messages are never recorded.
//
// # Context
//
// W3C trace context comes in and goes out in the metadata of requests, params._meta (SEP-414), on all transports:
//
//   - The parent of a server span is the context in the metadata, as the conventions say. The span around, such as that
//     of the HTTP request, is then linked. Without context in the metadata it is the parent. Without a span around, the
//     HTTP header is read.
//   - Upstream servers get traceparent and tracestate. They get no baggage, which may hold secrets, unless
//     [Options.Baggage] is set. Headers of HTTP requests to them are those of the endpoint's own client: give it
//     otelhttp.NewTransport to have HTTP spans and headers too.
//   - Whatever is malformed or above 8,192 bytes is ignored.
//   - [Options.Public] is for servers that anybody can reach.
//
// # Metrics
//
//	mcp.server.operation.duration        requests that were served, in seconds
//	mcp.client.operation.duration        requests that were sent to upstream servers
//	cash.server.result.size              bytes
//	cash.server.result.tokens            if something counted them
//	cash.server.interventions            repair, gate, cache, retry, dry_run
//	cash.server.sessions, .connections, .calls, .http.errors      of [Hook.Watch]
//
// Labels are method, function, outcome, error.type, version, transport and upstream server. They are from small sets:
// functions are bounded by [Options.MaxFunctions], upstream servers by 200, and codes of foreign servers that are not
// of the protocol's ranges are "_OTHER". Arguments, callers and sessions are never labels.
//
// # Cost
//
// Without a hook a call costs nothing more. With metrics alone it takes 10 allocations more, and 17 with all spans
// sampled and exported. BenchmarkCall has the figures.
//
// # Limits
//
//   - The conventions for MCP are in development: names may change with them.
//   - mcp.session.id is left out, since the id of a session opens it; see [Options.Callers]. jsonrpc.request.id is not
//     recorded.
//   - There are no mcp.*.session.duration metrics: the hook is not told of sessions.
//   - Samplers see the method only. The function is known when the request has been read.
package cashotel
