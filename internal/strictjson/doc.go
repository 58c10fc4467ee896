// Package strictjson decides whether bytes are one well-formed JSON document,
// and reads accepted documents in place.
//
// Arguments stay raw bytes until they meet their Go type, so that integers
// beyond 2^53 and the spelling of everything else survive. What makes that
// safe is one gate at the door:
//
//	if err := strictjson.Check(args); err != nil {
//		return err // duplicate key "id" at byte 12
//	}
//	for name, value := range strictjson.Members(args) {
//		fmt.Println(name, strictjson.KindOf(value))
//	}
//
// Check is RFC 8259 without the tolerance of encoding/json, whose last
// duplicate wins and whose bad UTF-8 becomes U+FFFD: two readers of one
// document must never see different values. The readers (KindOf, Members,
// Elements, Text) rely on Check and do not look for mistakes again.
//
// A member of a known kind is read with [Set], or [Take] where the error is worded
// elsewhere; [Member] finds one by its name:
//
//	err := strictjson.Set(&tool.Title, "title", strictjson.Member(data, "title"))
//
// [Marshal], its variants and [Builder] write JSON. [Canonical] gives the form that
// hashes and comparisons go by.
//
// [Scan] is the look before that, at whole messages of which others read parts:
// it bounds depth and number of values and asks for nothing but the grammar.
//
// # Limits
//
// Check takes time and memory linear in its input and does not allocate for
// ordinary documents; an object of more than 16 keys or with escapes in its
// keys costs a set of them, and the first such object one copy of the document. Nesting is bounded by MaxDepth. The length
// of the input is the caller's to bound. Nothing here knows about numbers
// beyond their grammar: 1e999999999 is accepted. The readers never panic, but
// on input that Check refused their answers mean nothing.
package strictjson
