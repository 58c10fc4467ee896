// Package view shows parts of large data, a bounded page at a time: lines, rows,
// keys, nodes of a JSON path, matches of a search. It also says what data is, and
// which views fit it.
//
//	page, err := view.Look(ctx, data, "application/json", json.RawMessage(`{"type":"rows","end":20}`), nil)
//	page.Data, page.Next // the first rows, and the selector of the next page
//
//	survey := view.NewSurvey(data, "application/json")
//	outline, ok := survey.Outline(2000) // its keys, its largest array, its first row
//	views := survey.Suggest()           // selectors to begin with
//
// # How it works
//
//	selector ─► parse ─► document, table or text ─► items, until the page is full ─► Page, with the next selector
//
// [Look] works on the bytes of the data and builds no tree: integers of any length,
// the order of keys and keys that are there twice stay what they are. What it shows
// is cleaned of invisible characters. JSON paths are those of RFC 9535. Those of
// known libraries decode the document first, which loses all three and needs many
// times its memory.
//
// # Limits
//
//   - Regular expressions are those of Go (RE2), also in JSON paths.
//   - A path or a regular expression that takes too much work ends with an error or
//     a note.
//   - The longest text of one line, and of one item, is what a page has room for.
//     What is cut goes on with the selector head, at the place that the note names.
package view
