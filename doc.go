// Package sdk is the root of a library for MCP servers that cost a model almost no context. It
// holds no code. Its comment is the map of the packages.
//
// A Go service registers typed functions and text skills in a registry and serves them through
// three MCP tools: call, help and skill (the CaSH model). A model discovers them step by step and
// pays only for the pages that it reads. Other faces can serve the same registry.
//
//	registry       namespaces, functions, skills, callers; the pipeline of calls; search
//	registry/observe  a hook that is told of every request
//	cash           the three tools over a registry: Server
//	cash/gateway   another face: browse, execute, view; and a stripped proxy
//	cash/disclosure  another: every tool with a sentence, the rest from a resource
//	cash/facade    another: one tool for each top-level namespace
//	cash/facade/files  the files of a folder as functions: lists, searches, edits, roundtrips
//	cash/plain     another: ordinary tools
//	cash/config    a whole server from a file, with reload and diagnosis
//	cash/cost      what each face costs a model, and which is the cheapest
//	cash/endpoint  programs that answer JSON: being one, and using others
//	cash/upstream  other MCP servers, mounted in a registry
//	cash/upstream/pin  the accepted definitions of their tools, and differences from them
//	cash/upstream/lastknown  what was last read of them, for new replicas and for all at once
//	cash/upstream/config  the file that lists them, with the face and the controls before them
//	cash/upstream/discover  their manifests, and labels for suggested servers
//	cash/catalog   tools, resources and prompts from a file, as registries
//	cash/control   middleware for calls: policy, approval, quota, dry run, cache, retry, audit
//	cash/openapi   a service's own API from its OpenAPI document, a module of its own
//	cash/otel      OpenTelemetry spans and metrics, a module of its own
//	cash/redis     state that replicas share over Redis or Valkey, a module of its own
//	cash/serve     the common part of all faces: shared options, transports, identity, draining
//	cash/check     checks of a running server from outside, without package testing
//	cash/cashtest  a test kit for embedders: client, links, the checks as tests
//	cash/cashtest/storetest  checks of stores, for those who write one
//	cash/cashtest/faulty  servers that misbehave, for tests of code that mounts servers
//	firewall       keeps large results behind handles, in memory
//	firewall/disk  the same on disk
//	firewall/view  shows parts of large data: lines, rows, keys, JSON paths, matches
//	firewall/redact  removes secrets from text
//	toolid/card    choice cards: a tool in a line, within a budget of tokens
//	manifest       the well-known document: read, check, write, serve, fetch safely
//	toolid         names a tool: ids, paths, spellings for the wire
//	gate           decides whether a result is too large, and words the notice
//	cash/explore   the page that shows a registry to people
//	cash/cmd/cash  the command: check, measure, call and serve MCP servers
//	examples/hello the smallest server
//	examples/move  a server of the MCP SDK, moved over step by step
//	examples/embed an MCP endpoint beside the routes of an existing service
//	examples/testing  the tests that a server needs
//	examples/aggregator  several servers behind three tools
//	examples/gateway  large results behind handles, secrets redacted
//	examples/controls  policy, approval, dry run, quota and audit of a bank
//	examples/shop  a whole server behind every face, to look at and to talk to
//	examples/files a folder as one tool
//	examples/client  a client of command endpoints
//
// Each example but client has a README.md that is a guide.
//
// # Words
//
// These are this project's own. All others are those of MCP and of the specifications.
//
//	face      how a registry is shown to clients: which tools they get, and how results and errors look
//	source    what a face serves: a registry, or anything else that can be listed and resolved
//	function  what a model calls through a face; an MCP tool is one of them, or a face's own
//	caller    who a request is from, with roles; none is anonymous
//	view      what one caller sees; what is hidden is absent
//	upstream  another server, mounted as a namespace
//	gate      withholds a result that is too large, and says how to get it
//	artifact  a result that a gateway keeps behind a handle
//	card      a function in a line, within a budget of tokens, with its id
//	controls  what decides about calls: policy, approval, quota, dry run, cache, retry, audit
//
// A constructor panics on invalid options, and on any other mistake of the programmer, with the
// line that calls it. Functions that depend on data return an error: those that begin with Try,
// readers of files, and the method Check of options, for options that come from data.
//
// Begin with package registry, then cash. internal/layout holds the order of imports and checks it.
package sdk
