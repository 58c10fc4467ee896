// Package manifest is the document by which a CaSH server introduces itself,
// /.well-known/cash-mcp.yaml (RFC sections 5.5 and 5.6): its type, and how to
// read, check, write, serve and fetch it.
//
// # Publishing
//
// A server fills in a [Manifest] and mounts a [Handler]:
//
//	m := &manifest.Manifest{
//		Version:     manifest.SpecVersion,
//		LastUpdated: "2026-04-24",
//		Publisher:   "Example Shop",
//		Endpoint:    "https://mcp.shop.example/mcp",
//		Namespaces:  []manifest.Namespace{{Suggested: "orders", Description: "Create and manage orders."}},
//	}
//	mux.Handle(manifest.WellKnownPath, manifest.Handler(manifest.Static(m), nil))
//
// [Manifest.YAML] and [Manifest.MarshalJSON] write it, and write nothing that
// [Parse] would not read back; [Manifest.Check] tells beforehand.
//
// # Fetching
//
// Whoever mounts servers of others fetches their manifests, again and again:
//
//	f, err := manifest.NewFetcher(nil)
//	...
//	got, err = f.Fetch(ctx, "https://mcp.shop.example"+manifest.WellKnownPath, got)
//
// Everything in this is hostile until it has passed:
//
//	URL ──► https, ──► address ──► same host ──► 1 MiB ──► Parse ──► CheckEndpoint ──► Fetched
//	        no user    public       in redirects                        same host
//
// A [FetchError] says by its [Kind] what a failure means: the server cannot be
// had at the moment, or what it says must not be used. [Label] makes a label of
// what a manifest suggests as one. [DialControl] and [IsPublic] keep the
// connections that follow from a manifest away from inner networks, too.
//
// # Limits
//
//   - A manifest is not signed: that it came from a host over TLS is all that is
//     known of it.
//   - Only https URLs are accepted as endpoints of fetched manifests, or http
//     ones that an operator trusts as a whole. Descriptions of commands can be
//     published, and are never accepted.
//   - A Fetcher keeps no manifest, does not wait, and does not spread fetches
//     over time: that is its caller's.
//   - Host names in other scripts are read by IDNA (golang.org/x/net/idna, profile
//     Lookup). Those with other characters than letters, marks and digits have to be
//     written in Punycode: readers differ on them.
//   - YAML is read into a tree: a hostile document of 1 MiB costs a quarter of a
//     second and some 250 MB of allocations, most of it for comments.
package manifest
