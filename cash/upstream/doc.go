// Package upstream mounts MCP servers of others in a registry: static and
// dynamic aggregation (RFC 5.4).
//
//	reg := registry.New(nil) // functions of your own may be in it, too
//	agg := upstream.New(reg, nil)
//	err := agg.Add(upstream.Server{
//		Label:    "files",
//		Endpoint: upstream.Command{Path: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "."}},
//	})
//	srv := cash.NewServer(reg, nil) // help, call and skill, for all of it
//	...
//	err = agg.Close(ctx)
//
// # What becomes of a server
//
//	MCP server                                          registry
//	tools/list ──► definitions ──► pins ──► functions ─┐
//	help, skill ─► pages ─────────────────► tree ──────┴─► Replace(label)   what help, search and skill answer from
//	tools/call ◄── deadline, slots, breaker ◄── handler ◄── call            what crosses the wire
//
// An upstream is made of parts that each have a lock of their own (upstream.go). A
// part knows those to its left:
//
//	settings ◄── exchanges ◄── session ◄── link, traffic ◄── calls ◄── inventory ◄── branches, lists ◄── upstream
//	configured   questions,    one         how it is,        one way   what it       what it shows,      the one
//	             progress      connection  what is in flight  to call  has           beside its tools    goroutine
//
// # A call, from the handler to the wire and back
//
//	inventory.go  handler: the tool, its arguments, and whether it is still the same
//	              (of CaSH servers cashsource/view.go and inventory.Call, of the rest primitivecall.go)
//	call.go       invoke ──► enter (traffic.go)             refused if the server is being removed
//	              running.run, apart from the request       a call may outlive its request, while a person is asked
//	              ├─ admit (traffic.go)                     a slot, or Busy
//	              └─ try: admit (breaker.go)                open after failures in a row, or Busy
//	                 ├─ take (link.go)                      the session; waits for one that is on its way
//	                 ├─ current                             Changed, if the latest catalog has another definition
//	                 └─ send: begin (exchange.go)           a progress token; the clock (clock.go) starts
//	                    └─ client.CallTool                  internal/mcpclient, the wire
//	                       ├─ notified (session.go) ──► progress, message (exchange.go) ──► the caller
//	                       └─ elicit (ask.go) ──► asker ──► the caller, or a result that asks; resume goes on
//	              judge ◄── end (exchange.go)               the breaker learns how it went
//	              a stale connection: once more, over a new one
//	answer.go     wire.NewAnswer ──► Result                 in internal/wire: to the byte, but for what is unseen
//	settings.go   shown                                     or an error, worded by errors.go
//
// # A refresh
//
//	upstream.go   run ──► link.connect ──► open: dial (session.go, transport.go), load
//	attend.go     attend: the server says so, the time has come, pins were changed, somebody asks
//	              rereader.reread ──► load; again after a pause if that fails
//	inventory.go  load ──► list (list.go): all pages of tools/list
//	              ├─ loadTools ──► pin.Keeper.Review ──► functions ──► plant
//	              └─ loadCaSH ──► cashsource.Read, Plant: help and skill of the server as trees
//	              adopt: the catalog (catalog.go) is the latest; calls made of another one are refused
//	branch.go     show ──► registry.Replace, at each mount that is still its own (roster.go)
//	lists.go      attend, read ──► branch.read (primitive.go): resources and prompts, beside all else
//
// The tools of a plain server become functions of its namespace, by names that
// keep to the rules: get-user is get_user there. A server with the tools call,
// help and skill is a CaSH server: what is behind them becomes a tree below its
// label, its texts speak of it by its new paths, and its gate is the only one.
//
// With [Options.Resources] and [Options.Prompts], its resources and prompts stand
// in registries of their own: a call reads the one and gets the other.
//
// A server is read when it is connected to, when it says that something has
// changed, and from time to time. Meanwhile, and while it cannot be reached, its
// namespace shows what was last known of it; help never waits for a network. A
// call is made only if what it was prepared with is still what the server has.
//
// # When something goes wrong
//
// The caller of a call gets one error that names the namespace, says whether the
// function may have run, and what to do. A [CallError] is its cause. Nothing is
// tried again that may have had an effect. A server that fails every call is
// left alone for a while; one that cannot be reached is tried again, ever more
// rarely, and shown as unavailable; no other server is touched by it. What a
// server sends is bounded, and checked before anything is made of it.
// [Aggregator.Status] says how all of them are.
//
// # What gets through
//
// A result is data: a model may read a file and write it back. Escape sequences of
// terminals, control characters, what turns the direction of text, tag characters
// and runs of invisible ones are taken out of its texts and metadata, and JSON is
// cleaned string by string. All else arrives to the byte on every face, and binary
// data are left alone. The same goes for what resources and prompts hold, and for
// log messages. Errors, questions, progress, descriptions and pages are cleaned as
// texts for a model. Nothing looks for secrets in any of it: cash/gateway does.
//
// # Discovery and trust
//
// [Aggregator.Discover] mounts what manifests describe, under labels that do not
// depend on the order of the network (package discover). A [pin.Mode] keeps tools
// whose definitions change from being served, and functions of CaSH servers
// likewise, until somebody has looked at the difference in [Aggregator.Status], and
// taken what was read for good by its hash ([Aggregator.AcceptQuarantined]). What
// another process accepts in the same [pin.Store] is noticed, and read again.
// Package config reads all of this from a file.
//
// # Limits
//
//   - Everyone who calls a server shares one connection to it: servers that keep
//     something for each session keep one for all. What a CaSH server of this
//     module keeps for a repeat, it keeps for each caller.
//   - A question (elicitation) that a server of up to 2025-11-25 sends during a
//     call, and a log message of any server, is put to somebody only if the calls
//     that are on their way are all of one caller, and if nobody else has lately
//     given one up.
//     Questions by URL and sampling are not passed on.
//   - A CaSH server by other hands is read from pages that are written for models:
//     lists, tables, and headings or lines with names. What cannot be understood
//     is noted in its status and not served.
//   - Of a CaSH server at most 2,000 pages, 16 levels and 10,000 functions are
//     read, of a plain one 10,000 tools; of either 10,000 resources and prompts.
//     [Status.Notes] says so if there are more. A list has at most 64 MiB on all its
//     pages, and 1,000 of them.
//   - A server may send a million messages of its own while calls wait for an answer;
//     then they fail, and but for HTTP its connection ends.
//   - Pins cover tools, and the functions behind a CaSH server's tools: their lines
//     in help, and what their pages say in JSON of parameters, result and safety.
//     They do not cover what else is text: pages as a model reads them, which the
//     server writes when they are asked for, descriptions of namespaces, and skills.
//     Of functions beyond the first 1,000, and of those whose pages are errors, only
//     the lines are known and compared. A function with the name of a tool of its
//     server is refused. Arguments of help that only the server knows reach it for
//     functions, not for namespaces, whose lists are those that were read.
//   - A CaSH server that streams a result is believed: up to MaxMessage pass.
//   - A child process that makes a session of its own (setsid) outlives its
//     connection.
//   - Resources and prompts of a CaSH server stand where all of it is mounted, not
//     where one of its namespaces is. They are not pinned, those of a lazy server
//     are shown once it has been connected to, and templates of resources and
//     subscriptions are left out.
package upstream
