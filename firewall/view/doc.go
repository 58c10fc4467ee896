// Package view shows parts of large data, one bounded page at a time: lines, rows, keys, nodes of a JSON path, matches
// of a search. It also describes data and suggests views of it.
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
// [Look] works on the bytes of the data and builds no tree. Long integers, the order of keys and duplicate keys stay as
// they are. It removes invisible characters from what it shows. JSON paths are those of RFC 9535. The known libraries
// decode the document first, which loses all three and needs many times its memory.
//
// # Limits
//
//   - Regular expressions are those of Go (RE2), also in JSON paths.
//   - A path or a regular expression that takes too much work ends with an error or a note.
//   - A line or an item that is longer than a page is cut. The note names the position from which the selector head
//     shows the rest.
package view
