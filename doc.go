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
//	cash/cost      what each face costs a model, and which is the cheapest
//	cash/endpoint  programs that answer JSON: being one, and using others
//	cash/upstream  other MCP servers, mounted in a registry
//	cash/upstream/pin  the accepted definitions of their tools, and differences from them
//	cash/upstream/config  the file that lists them
//	cash/upstream/discover  their manifests, and labels for suggested servers
//	cash/catalog   tools, resources and prompts from a file, as registries
//	cash/control   middleware for calls: policy, approval, quota, dry run, cache, retry, audit
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
//	examples/hello the smallest server
//	examples/shop  a whole server to look at and to talk to
//	examples/aggregator  four servers behind three tools
//	examples/files a folder as one tool
//	examples/client  a client of command endpoints
//	examples/embed an MCP endpoint beside the routes of an existing service
//
// A constructor panics on invalid options, and on any other mistake of the programmer, with the
// line that calls it. Functions that depend on data return an error: those that begin with Try,
// readers of files, and the method Check of options, for options that come from data.
//
// Begin with package registry, then cash. internal/layout holds the order of imports and checks it.
package sdk
