// Package manifest implements the document in which a CaSH server describes itself, /.well-known/cash-mcp.yaml (RFC
// sections 5.5 and 5.6): its type, parsing, checking, writing, serving and fetching.
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
// [Manifest.YAML] and [Manifest.MarshalJSON] write only what [Parse] reads back. [Manifest.Check] reports problems
// beforehand.
//
// # Fetching
//
// Code that mounts other servers fetches their manifests, and repeats that when they expire:
//
//	f, err := manifest.NewFetcher(nil)
//	...
//	got, err = f.Fetch(ctx, "https://mcp.shop.example"+manifest.WellKnownPath, got)
//
// Everything fetched is untrusted until it has passed these checks:
//
//	URL ──► https, ──► address ──► same host ──► 1 MiB ──► Parse ──► CheckEndpoint ──► Fetched
//	        no user    public       in redirects                        same host
//
// A [FetchError] says by its [Kind] what a failure means: the server is unavailable at the moment, or its data must
// not be used. [Label] makes a label from a manifest's suggestion. [DialControl] and [IsPublic] also keep later
// connections away from inner networks.
//
// # Limits
//
//   - A manifest is not signed. All that is known is that it came from a host over TLS.
//   - Fetched manifests may only name https URLs as endpoints, or http URLs that an operator trusts as a whole.
//     Descriptions of commands can be published, but are never accepted.
//   - A Fetcher does not store manifests, does not wait, and does not spread fetches over time. Its caller does.
//   - International host names are read by IDNA (golang.org/x/net/idna, profile Lookup). Names with characters
//     other than letters, marks and digits must be in Punycode, because readers differ on them.
//   - YAML is parsed into a tree. A hostile document of 1 MiB costs a quarter of a second and some 250 MB of
//     allocations, mostly for comments.
package manifest
