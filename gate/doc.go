// Package gate decides whether a result is too large for a model's context, and words the notice
// that says how to get it. It is pure: it runs no function, keeps no result and knows no caller.
//
// # Tour
//
// A face measures a result and compares it with the request's limit. A result above the limit is
// replaced by a notice:
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
// A length equal to the limit passes. [Length] counts the transferred characters. [Count]
// summarises the contents. [Suggest] adds a margin, so that a repeated call passes although the
// data grew a little. [Notice] puts the three into words (CaSH RFC section 7).
//
// # Limits
//
//   - Length counts Unicode code points before JSON escaping. It leaves out _meta, annotations and
//     the JSON around a block: the specification asks for "within a few percent".
//   - Count looks for lists through at most four levels of objects, never inside other lists, and
//     names only the largest.
//   - The words are English.
//   - Names from data (a key, a parameter) keep only letters, digits, '_', '-' and '.', and are
//     cut. A model reads the notice, which must not carry a foreign sentence.
package gate

// Default is the limit in characters if neither the server nor the request sets one (RFC section
// 7.3). A server with a higher limit must show it in its top-level help.
const Default = 10_000
