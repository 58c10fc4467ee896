// Package cashsource reads a CaSH server as a tree: what is behind its tools call,
// help and skill becomes namespaces, functions and skills of a registry.
//
//	src, err := cashsource.Read(ctx, ask, tools, cashsource.Options{Host: host, Mounts: mounts, Pins: keeper})
//	trees, err := src.Plant(nil) // by the keys of the mounts
//
// # How it works
//
//	Read   source.go      the three tools are pinned, or nothing is asked
//	       crawl.go       help of each namespace, lists of skills; guess.go where other hands leave things open
//	       details.go     pages of functions: parameters, safety
//	       definition.go  each function as a definition that can be pinned; Review says which are served
//	Plant  source.go      a registry for each mount
//	       view.go        namespaces, functions and skills, as they read at the mount
//	later  pages.go       pages of help and skills, by Host.Page, and kept for a while
//	       call.go        calls, by Host.Call
//
// How the server spells the arguments of its tools is its [dialect]. Its texts are
// read and moved to their new paths by package cashtext.
//
// # Limits
//
// At most 2,000 pages, 16 levels and 10,000 functions are read, and the pages of
// 1,000 functions; [Options].Note is told if there are more. Pages are kept for five
// minutes, 1,000 of them and 8 MiB.
package cashsource
