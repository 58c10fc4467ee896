// Package lastknown keeps what was last read of MCP servers, so that a new replica of an aggregator serves their catalogs
// at once, and so that the replicas read a changed catalog once for all.
//
//	agg := upstream.New(reg, &upstream.Options{Catalogs: shared.Catalogs()}) // shared is a client of cash/redis
//
// # How it works
//
// A [Catalog] is a transcript: the answers of a server to the requests with which its catalog was read, as they were on
// the wire. A [Shelf] records it. [Catalog.Transport] answers the same requests again, so that what is stored passes the
// same code as what a server sends: the same bounds, checks, pins and cleaning. Nothing else is trusted of it.
//
//	replica A   Claim ─► read the server, record ─► Keep ─┐
//	replica B   Claim is refused ─► wait                  ├─► Watch ─► Find ─► replay
//	new replica Find ─► replay ─► connect                 ┘
//
// # Limits
//
//   - A catalog has at most 64 MiB. A larger one is not kept.
//   - Leases save work. They exclude nobody: a reading that takes longer than its lease may be done twice.
//   - Whoever can write to the store decides what replicas show and, by hints, what policy sees: also of a connected
//     server, until its own replica reads it again. Calls go to the server alone. Give a store that others can write to
//     a key (Options.Key of cash/redis), and use pins.
//   - The requests of users are not part of a catalog, and neither is anything that was read for one of them.
package lastknown
