// Package strictjson checks that bytes are one well-formed JSON document, and reads checked documents in place.
//
// Arguments stay raw bytes until they are decoded into their Go type, so that integers beyond 2^53 and all spellings
// survive. One check at the entry makes that safe:
//
//	if err := strictjson.Check(args); err != nil {
//		return err // duplicate key "id" at byte 12
//	}
//	for name, value := range strictjson.Members(args) {
//		fmt.Println(name, strictjson.KindOf(value))
//	}
//
// Check is RFC 8259 without the tolerance of encoding/json, where the last duplicate wins and invalid UTF-8 becomes
// U+FFFD: two readers of one document must never see different values. The readers (KindOf, Members, Elements, Text)
// rely on Check and do not repeat it.
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
//   - Check takes time and memory linear in its input, and does not allocate for ordinary documents. An object with
//     more than 16 keys, or with escapes in keys, costs a set. The first such object also costs a copy of the document.
//   - MaxDepth bounds the nesting. The caller bounds the length of the input.
//   - Numbers are checked by grammar only: 1e999999999 is accepted.
//   - The readers never panic, but their results are meaningless on input that Check rejects.
package strictjson
