// Package firewall keeps large and hostile results out of a model's context. It stores what a tool returned for its
// caller, and returns an [Envelope] that describes the result and tells the model how to read parts of it (gateway
// surface, sections 4.2 and 9.4).
//
//	fw := firewall.New(nil)
//	owner := firewall.Owner{ID: "caller:ann"}
//	room, err := fw.Admit(ctx, owner)   // before a tool with effects runs: is there room for its result?
//	room = fw.AdmitReading(owner)       // for a tool that only reads
//	...
//	shown := room.Shield(ctx, firewall.Result{Content: content, Label: "github:list_issues"})
//	room.Release()
//	...
//	page, err := fw.View(ctx, owner.ID, handle, json.RawMessage(`{"type":"rows","start":0,"end":20}`))
//
// # How it works
//
//	result ─► redact ─► small? ──yes─► clean ─► envelope with the whole of it
//	                      │no
//	                      └─► store every part ─► envelope: summary, shape, handles, views
//	                                                            │
//	                    view: head, tail, lines, rows, keys, path, search ◄── handle
//
// # When there is no room
//
// A handle is promised for some minutes, and may work longer. An artifact whose promise has ended gives way when its
// room is needed: to other artifacts of its payer first, and if the whole store is full, the payer with the most
// artifacts or bytes gives way to the others. When only promised artifacts are left:
//
//   - A small result passes. It needs no room.
//   - A tool that only reads runs. A large result is described and begins in the summary, without a handle. The facts
//     say that it was not kept, and how to narrow the call.
//   - A tool with effects is refused before it runs. A result that was admitted is never lost: if it cannot be stored
//     after all, it is delivered whole.
//
// The same holds if the disk of a store is full, or if a store fails or hangs.
//
// The packages below work without this one:
//
//	firewall/redact  takes secrets out of text
//	firewall/view    describes data, and shows parts of it
//	firewall/disk    a [Store] that survives the end of its process; [Memory] does not
//
// The firewall runs no tool and knows no caller. An [Owner] has two keys that mean nothing here: what one ID has stored
// no other reads, and each payer has its own share of the room.
//
// # Limits
//
//   - The limits of redaction and of views are those of their packages.
//   - Cleaning removes invisible characters. Letters that look like others stay.
//   - A store has a share for each payer, and three quarters for all guests. Payers that the embedder cannot tell
//     apart share one.
//   - Results of tools with effects may take more room than the limits, as far as their size exceeds the reservation.
//   - Of a large result, metadata and annotations of the blocks are not stored.
package firewall
