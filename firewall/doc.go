// Package firewall keeps large and hostile results out of a model's context:
// what a tool returned is stored for its caller, and an [Envelope] says what it
// is and how to look at the parts of it that matter (gateway surface, sections
// 4.2 and 9.4).
//
//	fw := firewall.New(nil)
//	room, err := fw.Admit(ctx, owner)   // before the tool runs: is there room for what it may return?
//	...
//	shown := room.Shield(ctx, firewall.Result{Content: content, Label: "github:list_issues"})
//	room.Release()
//	...
//	page, err := fw.View(ctx, owner, handle, json.RawMessage(`{"type":"rows","start":0,"end":20}`))
//
// # The picture
//
//	result ─► redact ─► small? ──yes─► clean ─► envelope with the whole of it
//	                      │no
//	                      └─► store every part ─► envelope: summary, shape, handles, views
//	                                                            │
//	                    view: head, tail, lines, rows, keys, path, search ◄── handle
//
// The package is pure: it runs no tool and knows no caller. Owners are keys that
// mean nothing here; what one has stored no other reads. [Memory] and [Disk] are
// two stores; [Look], [Shape] and [Redactor] also work alone.
//
// # Limits
//
//   - Redaction knows secrets by how they look, or by what they are called where
//     something is assigned to them. It misses those that look like nothing, and
//     does not look into images, audio and blobs.
//   - JSON paths are those of RFC 9535. A path or a regular expression that takes
//     too much work ends with an error or a note.
//   - Text is cleaned of what is invisible; letters that look like others are
//     kept.
//   - Of a large result that is stored, metadata and annotations of its blocks are
//     not kept.
//   - A [Disk] is for one process at a time.
package firewall
