// Package serve is the part of every face around the MCP SDK: both generations of HTTP on one URL (with
// sessions up to 2025-11-25, without from 2026-07-28), the identity of each request, recovery from
// panics, and draining on shutdown. A face is a set of tools over a registry, such as package cash.
//
// The options of every face have a field Serve of type [Options], with the settings common to all
// faces. [Options.Pipeline] makes a pipeline of them. The server of a face embeds a [Server], which
// gives it AddTo, Run, Handler and Shutdown. A [Host] wraps the handlers of its tools:
//
//	                                   ┌ sessions (up to 2025-11-25) ─┐
//	HTTP ─► VerifyToken ─► reader ─► by version                       ├─► *mcp.Server ─► Host.Tool ─► the face
//	                                   └ stateless (2026-07-28) ──────┤      (drain, identity, recover)
//	stdio, in-memory ─────────────► reader ───────────────────────────┘
//
// The most frequent requests without a session reach the handler of the *mcp.Server without the SDK's connection, which
// decodes each message some ten times: a call takes a seventh of the time and a 25th of the memory
// ([Options.ThroughSDK]).
//
// The files in order: server.go, options.go and run.go serve; web.go, origin.go, sessions.go, post.go, header.go,
// body.go and direct.go are HTTP; unknown.go answers for sessions of other processes; lines.go is stdio; reader.go
// and method.go read messages; host.go, request.go, carry.go, identity.go, address.go and client.go run a tool;
// own.go is what an embedder has beside the face; lint.go finds mistakes; skills.go is the skills extension of
// MCP; listed.go, tools.go and watched.go are what comes and goes, of which changes.go and notifier.go tell;
// inprogress.go bounds requests; drain.go stops, of which health.go tells; observe.go and exchange.go tell a hook
// of requests, and stats.go counts them.
//
// # Identity
//
// Each request gets its caller anew. The first of these that applies decides:
//
//   - [Options.Identify];
//   - over HTTP, the bearer token ([Options.VerifyToken]), or the caller that the embedder's own
//     middleware put into the HTTP request's context;
//   - on stdio and in memory, the caller in Run's context.
//
// A function's context has all values of the HTTP request that its call came with, in sessions too, where
// the SDK's has those of the first request ([CarryContext]).
//
// State that a call leaves behind belongs to its caller, and if the caller is anonymous, to the session.
// It takes the caller's share of room. Anonymous callers have a share per address, if
// [Options.Address] tells it, else per session. Those without either have one share together.
//
// # Changes
//
// Tools that depend on the caller ([Listed]) come and go with the registry. A client that has
// listed them is notified when its own list changes (notifications/tools/list_changed, see
// [Changing]). A client that subscribes to a [Watched] resource is notified when the resource
// changes for it (notifications/resources/updated). Neither is notified of changes that it cannot
// see.
//
// # Skills
//
// Clients can import the skills of a [Skilled] face through the skills extension of MCP
// (io.modelcontextprotocol/skills, SEP-2640), whatever the face's tools are: skills/list, skills/get,
// resources/read of skill://<namespace>/<name>/SKILL.md and of the skill's other files, and
// resources/directory/read.
//
//   - Front matter is served as written, the text without executable content. Digest and size are
//     those of what is served. A skill with inputs, or of another CaSH server, is "dynamic".
//   - Other files are served if the registry has them ([registry.WithFiles]).
//   - A skill that the caller does not see is unknown. Caches are private to the caller, for a minute.
//   - The limits of a Quota for the tool skill hold for the extension.
//
// # Observation
//
// [Options.Observe] is told of every request, refused ones too: what the strict reader, the limits of a
// connection, the SDK or HTTP refuses is told with its JSON-RPC code or its HTTP status. Names that only the
// client knows are left out. Faces that are added to one MCP server tell a request once, by the hook of the
// face that was added last. [Server.Stats] has the counters, with or without a hook; liveness and readiness
// are [Server.LiveHandler] and [Server.ReadyHandler].
//
// # Beside the face
//
// [Options.NewServer] adds resources, prompts and completions of the embedder's own, on all transports. A
// server that the embedder serves itself takes the face by [Server.AddTo].
//
// # Load
//
// What a server does at a time is bounded. It serves as much as it can, however much is asked of it, and one caller
// cannot take what is due to others. These are the defaults:
//
//	what                          most at a time                  of a caller  beyond that
//	calls, help, skills, lists    4,096 (Options.Limiter)         1,024        1,024 wait for 2 s, 256 of a caller
//	calls of one function         no limit (registry.MaxCalls)    no limit     64 wait for 2 s, 16 of a caller
//	HTTP requests in progress     twice what runs and waits       a quarter    503, Retry-After
//	HTTP sessions                 10,000 (Options.MaxSessions)    a quarter    503, Retry-After
//	HTTP subscriptions            as many, from 2026-07-28 on     a quarter    503, Retry-After
//	calls of a Run connection     1,024 (Options.MaxCalls)        no limit     a JSON-RPC error
//	calls of an upstream server   16 (its Concurrency)            no limit     they wait
//
// They allow thousands of calls that wait for something else, which is what most functions do. Set
// [registry.Limits] lower if functions need much memory or processor time. For a server with one client,
// set PerCaller to Calls.
//
//   - Callers that wait are served in turn. A call beyond the queue is refused at once, in the result of its tool:
//     [registry.RateLimited] if its caller has all that is due to it, else [registry.Unavailable]. Its function has
//     not run, and the error says when to try again. Lists and the skills extension have JSON-RPC errors for it.
//   - A caller is the payer of [registry.Client]. Callers that are neither authenticated nor told apart by
//     [Options.Address] have three quarters of calls, requests and sessions together. For requests and sessions,
//     a caller is known by its token or by your middleware, not yet by [Options.Identify].
//   - A call has its place until its function has returned, even if it was cancelled or its deadline has passed:
//     what still runs counts. A function that never returns is refused after 64 such calls.
//   - Calls that a function makes to its own server take no further place. Pings, handshakes and subscriptions
//     take none.
//   - A client that takes less than 64 KiB of an answer in 30 seconds loses its connection, unless the HTTP server
//     has a WriteTimeout.
//   - When the server stops, calls that wait are refused at once.
//
// # Replicas
//
// A session of a client up to 2025-11-25 lives in one process, because the SDK keeps it there. Another process answers
// its requests with 404 and says why. The client begins a new session, which round robin loses again. Clients from
// 2026-07-28 on have no sessions: any process serves any of their requests. Choose one of these:
//
//   - [NoSessions]: older clients are served without a session, by any process. They cannot be asked while a call
//     waits, are not notified of changes, and [Options.Address] or a login has to tell them apart.
//   - [BothGenerations] with sticky routing. The server makes the id, in the answer to initialize: a hash of
//     Mcp-Session-Id alone leads elsewhere. A restart ends the sessions of its process.
//
// Sticky routing takes a line or two:
//
//	nginx   sticky learn create=$upstream_http_mcp_session_id lookup=$http_mcp_session_id zone=mcp:1m;
//	        or, without that directive, by what clients always send: hash $http_authorization consistent;
//	Envoy   the filter stateful_session with the session state envelope, of the header Mcp-Session-Id
//	ALB     cookies only (stickiness.enabled=true, stickiness.type=lb_cookie): choose NoSessions for clients without
//
// Other state is in memory, but artifacts may be on disk and pins in a file. Replicas share it through stores, such as
// those of the module cash/redis:
//
//	state      several processes, without more                            for several to be as one
//	sessions   Another replica answers 404 and says why.                  serve.NoSessions, or routing by session
//	plans      A token is refused, or with common keys runs once on each. PlanOptions.Keys and Store
//	quota      Each replica counts its own calls.                         QuotaOptions.Store
//	approvals  Only the replica that asked can be answered.               ApprovalOptions.Store
//	results    A withheld result is known where its function ran.         cash.Options.Replays
//	cache      Each replica runs a function once.                         CacheOptions.Store
//	artifacts  A handle is known where it was made.                       firewall.Options.Store
//	pins       Each replica accepts changes by itself.                    upstream.Options.Pins
//	catalogs   Each replica reads each upstream; it needs them all.       upstream.Options.Catalogs
//	fetches    Each replica counts its own fetches of descriptions.       disclosure.Options.Fetches
//	grants     With common keys, each replica knows what was read.        disclosure.Options.Grants
//
// The limits under Load hold for each process.
//
// To restart a process without a refused call, call [Server.Retire], wait until the load balancer has asked
// [Server.ReadyHandler], then call [Server.Shutdown], and end the HTTP server.
//
// # Limits
//
//   - The SDK 1.8 keeps one subscription of each kind per connection. On stdio from 2026-07-28 on, the end of
//     one subscription therefore ends notifications of changed lists of resources and prompts.
//   - To find a change, the view of each client is made again and compared. Many clients with
//     thousands of tools take a while, at half of one processor's time at most. The context of a
//     visibility rule then has the caller, and nothing else of a request. Beyond 10,000 clients, further ones are not
//     notified. A client without a stream is retried for some seconds, then notified of the next
//     change.
//   - A strict reader reads every message once before the SDK decodes it, over HTTP and on lines
//     alike. It bounds size, depth and number of values. It refuses what is not a message of the
//     protocol, with its id if there is one. On lines, ids are repeated exactly. Over HTTP, numbers
//     that the SDK would round are refused.
//   - A result or error without a JSON form becomes an internal error.
//   - Bodies are bounded in size and in arrival time. All that are above 64 KiB and being handled take at most eight
//     times [Options.MaxBody] together. A connection served by Run has at most [Options.MaxCalls] in flight, and a
//     bound on their bytes. Options also bound the number and the idle time of sessions; those that make no request end
//     after a minute.
//   - The HTTP server must bound the number of connections, and the time for headers: set ReadHeaderTimeout.
//   - See Load for calls at a time.
package serve
