// Package brief writes JSON values of unknown meaning at the lower levels of detail (domain facades, "Detail Levels").
//
//	short, omitted := brief.Trim(data, brief.Minimal)
//
//	{"issues":[{"number":7,"title":"Fire","state":"open","user":{…},"body":"…"}],"next_cursor":"b2Zmc2V0"}
//	→ {"issues":[{"number":7,"title":"Fire","state":"open"}],"next_cursor":"b2Zmc2V0"}, ["issues[].user", "issues[].body"]
//
// # Texts
//
// A longer text is cut and ends with its length:
//
//	The printer in the hall has been on fire since… (2310 characters)
//
// [Standard] shows 500 characters, with that mark, and [Minimal] 160. Ids, addresses and marks are never cut. An object
// with one member, a text, is the answer itself and stays as it is, like a plain text.
//
// # Elements
//
// [Minimal] trims the objects in arrays, at any place in the value. It shows these members, and leaves out the others:
//
//   - ids:    the last word is id, uuid or guid; or the name is filename, hostname, key, login, number, path, sha, sku,
//     slug, uri, url or username
//   - names:  the last word is name or title; or the name is label or subject
//   - states: the last word is state, status or phase; or the name is active, closed, completed, done, enabled or open
//   - counts: the last word is count or total
//   - marks:  a word is cursor, deprecated, error, errors, incomplete, more, next, omitted, partial, prev, previous,
//     truncated, truncation, warning or warnings; or the last word is token
//
// Members of the first four kinds are shown if they are scalars. Marks have any value, which is never changed. An
// element without an id or a name that is a text or a number keeps all its members: nothing would tell it apart.
//
// The words of a name are those of order_id, order-id, orderId and OrderID. Letters are ASCII, and case is ignored.
//
// # How it works
//
// Trim walks over the bytes and builds no tree. Numbers, order and escapes stay as they are. What is not changed is
// returned as it came. A second Trim at the same level changes nothing.
//
// # Limits
//
//   - Values below 20 levels stay as they are. This bounds the time, because each level is read once more.
//   - At most 20 paths of omitted members are named, of some 64 bytes for each name.
package brief
