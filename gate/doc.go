// Package gate decides whether a result is too large for a model's context,
// and words how to get it nevertheless. It is pure: nothing here runs a
// function, keeps a result or knows a caller.
//
// # Tour
//
// A face measures what a function returned, compares it with the request's
// limit and, when it is over, sends a notice in place of the result:
//
//	if n := gate.Length(content, structured); n > limit {
//		notice := gate.Notice{
//			Length:  n,
//			Limit:   limit,
//			Summary: gate.Count(content, structured).String(),
//			Filters: []string{"status", "date_range"},
//		}
//		return notice.Text() // as an error result, and nothing else
//	}
//
// A length equal to the limit passes. [Length] counts what is transferred,
// [Count] says what it consists of, [Suggest] adds the margin that lets a
// repeated call through although the data grew a little, and [Notice] puts the
// three into words (CaSH RFC section 7).
//
// # Limits
//
//   - Length counts Unicode code points before JSON escaping, and leaves out
//     _meta, annotations and the JSON around a block: the specification asks
//     for "within a few percent".
//   - Count looks for lists through at most four levels of objects, never
//     inside other lists, and names only the one that takes the most room.
//   - The words are English.
//   - Names that come from data (a key, a parameter) lose everything but
//     letters, digits, '_', '-' and '.', and are cut: the notice is read by a
//     model, and must not carry somebody's sentence.
package gate

// Default is the limit in characters where neither the server nor the request
// says otherwise (RFC section 7.3). A server with a higher one must advertise
// it in its top-level help.
const Default = 10_000
