// Package firewall keeps large and hostile results out of a model's context. It stores what a tool returned for its
// caller, and returns an [Envelope] that describes the result and tells the model how to read parts of it (gateway
// surface, sections 4.2 and 9.4).
//
//	fw := firewall.New(nil)
//	room, err := fw.Admit(ctx, owner)   // before the tool runs: is there room for what it may return?
//	...
//	shown := room.Shield(ctx, firewall.Result{Content: content, Label: "github:list_issues"})
//	room.Release()
//	...
//	page, err := fw.View(ctx, owner, handle, json.RawMessage(`{"type":"rows","start":0,"end":20}`))
//
// # How it works
//
//	result ─► redact ─► small? ──yes─► clean ─► envelope with the whole of it
//	                      │no
//	                      └─► store every part ─► envelope: summary, shape, handles, views
//	                                                            │
//	                    view: head, tail, lines, rows, keys, path, search ◄── handle
//
// The packages below work without this one:
//
//	firewall/redact  takes secrets out of text
//	firewall/view    describes data, and shows parts of it
//	firewall/disk    a [Store] that survives the end of its process; [Memory] does not
//
// The firewall runs no tool and knows no caller. An owner is a key that means
// nothing here: what one owner has stored no other reads.
//
// # Limits
//
//   - The limits of redaction and of views are those of their packages.
//   - Cleaning removes invisible characters. Letters that look like others stay.
//   - Of a large result, metadata and annotations of the blocks are not stored.
package firewall
