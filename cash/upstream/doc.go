// Package upstream mounts other MCP servers in a registry: static and dynamic aggregation (RFC 5.4).
//
//	reg := registry.New(nil) // may also hold functions of your own
//	agg := upstream.New(reg, nil)
//	err := agg.Add(upstream.Server{
//		Label:    "files",
//		Endpoint: upstream.Command{Path: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "."}},
//	})
//	srv := cash.NewServer(reg, nil) // help, call and skill for all of them
//	...
//	err = agg.Close(ctx)
//
// # How a server becomes a tree
//
//	MCP server                                          registry
//	tools/list ──► definitions ──► pins ──► functions ─┐
//	help, skill ─► pages ─────────────────► tree ──────┴─► Replace(label)   what help, search and skill answer from
//	tools/call ◄── deadline, slots, breaker ◄── handler ◄── call            what crosses the wire
//
// An upstream consists of parts, each with its own lock (upstream.go). A part knows only the parts to its left:
//
//	settings ◄── exchanges ◄── session ◄── link, traffic, users ◄── calls ◄── inventory ◄── branches, lists ◄── upstream
//	configured   questions,    one         state, calls,            one way   what the     resources,          the one
//	             progress      connection  accounts                 to call   server has   prompts            goroutine
//
// # Names and arguments
//
// The tools of a plain server become functions of its namespace. Their names are made legal: get-user becomes
// get_user. A server with the tools call, help and skill is a CaSH server. The functions behind them become a tree
// below its label, its texts use the new paths, and its own gate decides about sizes.
//
// Names with dots nest: issues.create becomes create in issues (gateway surface, section 3.3). Of names that differ in
// case and underscores alone, the first keeps its label and the others get six digits of a hash of their names. Each is
// found by its exact name; a spelling that could mean two is refused.
//
// Arguments are checked here, before they cross the wire (gateway surface, section 4.4). A CaSH server of this module
// gives the exact schema of each function. Of another one, what its pages of help tell is enforced: names, types, which
// are required, listed values, nesting. A dry run says what was not checked, and goes on to servers of this module,
// which report their own checks and run nothing.
//
// With [Options.Resources] and [Options.Prompts], a server's resources and prompts become functions in registries
// of their own: a call reads a resource or gets a prompt.
//
// # Skills
//
// The skills of a plain server that speaks the skills extension of MCP (SEP-2640) become skills of its namespace, and
// are served on by the tool skill and by the extension. The segments of their URIs become namespaces.
//
//   - They are read with the tools, in a third of ConnectTimeout at most; what is late is read next. A skill with an
//     unchanged entry is not read again.
//   - Each file must have the digest and the size of its entry, and SKILL.md its front matter. Otherwise the skill is
//     left out and noted. A dynamic skill has no digests: its front matter is compared whenever it is read.
//   - Executable content and invisible characters are removed. A file without any keeps its bytes. Scripts and binary
//     files are not read.
//   - Those of a CaSH server are the ones that its tool skill lists. Where the server speaks the extension too, they
//     come through with files, digests and front matter, and the paths in their texts are rewritten. All others, and
//     those with inputs, are read through the tool when they are asked for; the extension serves them as dynamic.
//
// # Accounts of callers
//
// With [Server.Credentials], each caller has an account at the server. Calls, dry runs, and reads of resources and
// prompts have its token; nothing that came with the caller's request, nothing of Endpoint's identity, and no cookie.
//
//	HTTP server        identity of Endpoint                 account of the caller
//	up to 2025-11-25   a session that reads the catalog     a session for each caller
//	from 2026-07-28    requests that read the catalog       a token with each request of the same client
//
// The rules:
//
//   - The catalog is the same for all: lists, pages of help, skills. It is read with the identity of Endpoint.
//   - A caller without an account is asked to connect one, by an elicitation with a URL if the client takes these. The
//     call waits up to a minute after the caller has agreed. Otherwise the error names the URL. Anonymous callers are
//     refused.
//   - One attempt to get a token serves all calls that wait for it. A call that gives up does not end it.
//   - A refused token (status 401) is dropped with the session. The call is repeated once with another.
//   - A server that wants more scope of a token (status 403) gets the call once more with another one, if there is one:
//     the handler authorizes with the server's answer, once a minute for each scope, or the caller is asked to connect
//     the account again. Otherwise the error names the scope. Other calls keep the token.
//   - What a server sends during a call, such as questions and progress, goes to the caller of that session.
//   - Tokens come from handlers of the SDK (packages auth and extauth), or of the embedder. The examples show a store,
//     enterprise-managed authorization and token exchange. [HTTP].OAuthHandler gives the identity of Endpoint in the
//     same way, for example by client credentials.
//
// # Ids
//
// A tool has one id: here, in a catalog file that names its server, exported and loaded again, and behind further CaSH
// servers of this module (gateway surface, sections 1.2 to 1.4).
//
//   - Name and version are those that the server reports. The version is in _meta, or beside the name.
//   - The namespace is the name's prefix before a dot or slash, else the label of the server.
//   - The hash is over the name as reported. Names outside the grammar are made to fit, and noted in the status.
//   - A CaSH server of this module tells the ids of its functions in their JSON pages of help. Functions of others, and
//     those beyond the first 1,000, have ids from their paths here.
//   - If two have a right to one id, both take their labels as namespaces. The status and the gateway's refresh report
//     say so ([registry.Function.Contested]).
//
// # Changes
//
// A server's catalog is read on connect, when the server announces a change, and periodically. Meanwhile, and while the
// server is down, its namespace shows the last catalog. Help does not wait for a network, with one exception: a server
// of which nothing is known yet, for two seconds after [Aggregator.Add]. A call is made only if the definition that it
// was prepared from is still the server's latest.
//
// The tools of a CaSH server stay the same when the functions behind them change. A server of this module announces
// that through its resource cash://server (RFC 5.6), which is subscribed to. The resource has a revision: an unchanged
// server is not read again, and of a changed one only the pages of namespaces and of changed functions. Pinned
// definitions are always compared. So changes, and the health of servers, pass through any number of aggregators. An
// unknown name below a CaSH server leads to one refresh in five seconds if the caller is known; the name is refused at
// once. Other CaSH servers are read again on the timer alone.
//
// # Replicas
//
// With [Options.Catalogs], what was read of a server is kept for all replicas (package lastknown). A new one serves it
// before it has connected: [Status] tells since when it is known, functions are listed, and calls connect.
//
// When a server announces a change, one replica reads it, under a lease of five seconds, and the others take what it has
// kept. If that takes half of ConnectTimeout, they read it themselves. The same happens on the timer, where half of
// [Server.Refresh] counts as recent. A replica that is not connected takes it too. Each one reads a server when it
// connects, because changes before that were not announced to it.
//
// What is kept is replayed as if the server said it: it passes the same bounds, checks and cleaning. It is compared with
// pins and never pinned, and is nobody's first identity. A call goes to the server alone. It is taken as the
// server's word also while the server is connected: whoever can write to the store decides what is listed, and what hints
// say to policy. A store that others can write to needs a key (Options.Key of cash/redis) and pins.
//
// # Failures
//
// The caller gets one error. It names the namespace, says whether the function may have run, and gives the next
// step; its cause is a [CallError].
//   - A call that may have had an effect is never retried.
//   - A failure that may pass, such as a refused or cut connection or status 503, is Unavailable. All others, such as
//     status 404 or an answer that is no JSON-RPC, are Failed (gateway surface, section 3.4).
//   - A tool that the server has removed is UnknownFunction.
//   - A circuit breaker protects a server that fails every call. It opens at once if a connection is refused.
//   - A server that is down is shown as unavailable. Reconnects back off. Other servers are not affected.
//   - Data from a server is bounded and checked before use.
//
// [Aggregator.Status] reports the state of all servers.
//
// # Cleaning of texts
//
// A result is data: a model may read a file and write it back. So only invisible text is removed from its texts and
// metadata: terminal escape sequences, control characters, characters that change the direction of text, tag
// characters, and runs of invisible ones. JSON is cleaned string by string. All else arrives unchanged on every
// face; binary data are not touched. The same holds for the contents of resources and prompts, and for log
// messages. Errors, questions, progress, descriptions and pages are cleaned as texts for a model. Secrets are not
// redacted here but in cash/gateway.
//
// # Discovery and trust
//
// [Aggregator.Discover] mounts the servers that manifests describe, under labels that do not depend on network timing
// (package discover). The resource cash://server of a CaSH server is read with its catalog and compared with the
// manifest that led there, else with the first one read ([Server.HoldIdentity]). A [pin.Mode] quarantines tools,
// functions of CaSH servers, and skills whose definitions change. An operator reads the difference in
// [Aggregator.Status] and accepts it by its hash ([Aggregator.AcceptQuarantined]). Definitions that another process
// accepts in the same [pin.Store] are noticed and reloaded. Package config reads all of this from a file.
//
// # Limits
//
//   - Without Credentials, all callers share one connection to a server, and so one session. A CaSH server of this
//     module keeps replays for each caller.
//   - With Credentials, a caller sees what the server shows to Endpoint's identity, and is refused by the server what
//     the account must not do. A result that package control has cached may outlive the account by its TTL. A session
//     is that of a caller with the same roles and attributes: keep what changes with each request out of these.
//   - A question (elicitation) that a server up to 2025-11-25 sends during a call, and a log message of any server,
//     is delivered only if all calls in flight belong to one caller, and no other caller has recently given up a
//     call. Questions by URL and sampling are not passed on.
//   - A CaSH server of another implementation is read from pages that are written for models: lists, tables, and
//     headings or lines with names. What cannot be parsed is noted in its status and not served.
//   - At most 2,000 pages, 16 levels and 10,000 functions are read of a CaSH server, 10,000 tools of a plain one,
//     and 10,000 resources and prompts of either. [Status.Notes] reports more. A list has at most 64 MiB over all
//     pages, and 1,000 pages.
//   - Of a server's skills, 1,000 are read, with 64 MiB of files in all.
//   - A server may send a million messages of its own while calls wait for an answer. Then the calls fail, and the
//     connection ends unless it is HTTP.
//   - Pins cover tools, and the functions behind a CaSH server's tools: their lines in help, and the parameters,
//     result, safety and id that their pages give as JSON. They cover skills: front matter, the line in lists, and
//     every byte of every file, of files that are not served too. Of a dynamic skill, and of one of a CaSH server
//     without the extension, the text is not covered. Pins do not cover other text: pages as a model reads them, which
//     the server writes on demand, and descriptions of namespaces. Of functions beyond the first 1,000, and of those
//     whose pages are errors, only the lines are compared. A function with the name of one of its server's tools is
//     refused.
//   - Arguments of help that only the server knows are named at the top and passed on to it. With pins they reach it
//     for functions only, and are not named.
//   - The pages of functions beyond the first 1,000 are read before their first call. With pins they are not read, and
//     their arguments not checked.
//   - A CaSH server that streams a result is trusted: up to MaxMessage pass.
//   - A child process that starts a session of its own (setsid) outlives its connection.
//   - Resources and prompts of a CaSH server appear where the whole server is mounted, not where one of its
//     namespaces is. They are not pinned. Those of a lazy server appear after its first connection. Resource
//     templates and subscriptions are left out.
//
// # A call, from the handler to the wire and back
//
//	inventory.go  handler: the tool, its arguments, and whether its definition is still the same
//	              (for CaSH servers cashsource/view.go and inventory.Call, otherwise primitivecall.go)
//	call.go       invoke ──► enter (traffic.go)             refused if the server is being removed
//	              running.run, in its own goroutine         a call may outlive its request while a person is asked
//	              ├─ authorize (connect.go)                 the caller's token (account.go), or NoCredential
//	              ├─ admit (traffic.go)                     a slot, or Busy
//	              └─ try: admit (internal/pace)             open after failures in a row, or Busy
//	                 ├─ take (link.go)                      the session; waits while one is being made
//	                 ├─ current                             Changed, if the latest catalog has another definition
//	                 ├─ over (users.go)                     the caller's own session, if callers have accounts
//	                 └─ send: begin (exchange.go)           a progress token; the clock (pace) starts
//	                    └─ client.CallTool                  internal/mcpclient, the wire
//	                       ├─ notified (session.go) ──► progress, message (exchange.go) ──► the caller
//	                       └─ elicit (ask.go) ──► asker ──► the caller, or a result that asks; resume goes on
//	              judge ◄── end (exchange.go)               the breaker learns the outcome
//	              a stale connection, a refused token: one retry over a new one, with another
//	answer.go     wire.NewAnswer ──► Result                 in internal/wire: byte for byte, without invisible text
//	settings.go   shown                                     or an error, worded by errors.go
//
// # A refresh
//
//	upstream.go   run ──► link.connect ──► open: dial (session.go, transport.go), load
//	attend.go     attend: on the server's notice, on a timer, on changed pins, on request, on an unknown name
//	              rereader.reread ──► load; retried after a pause if that fails
//	inventory.go  load ──► list (list.go): all pages of tools/list
//	              ├─ loadTools ──► pin.Keeper.Review ──► functions ──► plant
//	              └─ follow.go: has the revision of cash://server changed?
//	                 loadCaSH ──► cashsource.Read, Plant: help and skill of the server as trees
//	              adopt: makes the catalog (catalog.go) the latest; calls prepared from another one are refused
//	branch.go     show ──► registry.Replace, at each mount that it still owns (roster.go)
//	lists.go      attend, read ──► branch.read (primitive.go): resources and prompts, in parallel
package upstream
