// Package cashsource reads a CaSH server as a tree: the functions and skills behind its tools call, help and skill
// become namespaces of a registry. It is used by package upstream.
//
//	src, err := cashsource.Read(ctx, ask, tools, cashsource.Options{Host: host, Mounts: mounts, Pins: keeper})
//	trees, err := src.Plant(nil) // by the keys of the mounts
//
// # How it works
//
//	Read   source.go      the three tools are pinned; otherwise nothing is read
//	       crawl.go       help of each namespace, lists of skills; guess.go if a page is ambiguous
//	       window.go      the pages that long lists come in
//	       details.go     pages of functions: parameters, safety; kept.go if they are the same as before
//	       definition.go  each function as a definition that can be pinned; Review says which are served
//	       skills.go      skills as definitions, with their files where the server speaks the skills extension
//	Plant  source.go      a registry for each mount
//	       view.go        namespaces, functions and skills, as they read at the mount
//	       told.go        the schema of the arguments, as far as a page tells it; choices.go reads lists in prose
//	later  pages.go       pages of help and skills, by Host.Page, cached
//	       inputs.go      arguments of functions whose pages were not read in advance
//	       dryrun.go      dry runs, by Host.Page
//	       call.go        calls, by Host.Call
//
// The server's spelling of its tools' arguments is its [dialect]. Package cashtext parses its texts and rewrites
// their paths.
//
// # Limits
//
// At most 2,000 pages, 16 levels and 10,000 functions are read, and the pages of 1,000 functions. [Options].Note
// gets a line if there are more. Pages of functions are kept for the next read, up to 8 MiB. Pages for users are cached
// for five minutes: up to 1,000, and 8 MiB.
package cashsource
