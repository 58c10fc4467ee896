// Package explore is a page that shows a registry to people: what is behind a server, what it costs a model, what
// failed, and what waits for a decision.
//
//	page := explore.New(reg, &explore.Options{Name: "shop"})
//	mux.Handle("/mcp", srv.Handler())
//	mux.Handle("/explore/", http.StripPrefix("/explore", page))
//
// # What it shows
//
//	tree        namespaces, functions and skills, with the search of the registry
//	function    arguments, hints, and how a model meets it behind each face, with tokens ([cost.Play])
//	skill       the text as it is served; removed code is marked
//	costs       tokens of lists and tasks behind each face ([cost.Measure])
//	call        a call as one of the viewer's callers; a dry run comes first unless the function is read-only
//	log         the latest requests ([Log])
//	upstreams   states, and changed definitions beside the accepted ones
//	approvals   calls that wait for the operator
//	artifacts   large results, by handle and selector
//
// The first four need nothing but the registry. Each of the others is there if its part is given ([Options]).
//
// # Who sees it
//
// Each page is made for a caller, as any face would answer that caller: hidden is absent. Without a Login, only
// programs of the same machine reach the page. Such a request has a loopback address on both ends and no header of a
// proxy, and its Host is a loopback name, so a page that rebinds its DNS name stays outside.
//
// # What a browser is told
//
//   - Nothing is loaded from elsewhere, and no script runs but the page's own (Content-Security-Policy with a nonce).
//   - Reading needs no script. GET changes nothing.
//   - A POST must say that it comes from the page's own origin ([http.CrossOriginProtection]).
//   - Another site may have a link to a page, and no more: no frame, image or script. Such a link measures nothing.
//   - All texts are escaped, invisible characters are written by number, and long texts are cut.
//
// # Limits
//
// All users of a machine reach what its loopback addresses serve: use a Login where they are not one person. Calls from
// the page pass the Pipeline, but are no requests for the Log.
//
// Links are relative, so the handler has to be mounted at a path that ends in a slash. A proxy on the same machine that
// adds no header and sends a loopback Host opens the page to its clients: use a Login there. A measurement takes
// processor time: one of all functions and two of single ones run at a time, and others are refused after a while.
// Artifacts are not listed, because stores do not list them. A search shows 100 functions, and 25 while typing. Its
// index is made in the background after a page: with 10,000 functions, it takes some 40 ms of processor time.
package explore
