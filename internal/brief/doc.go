// Package brief writes JSON values of unknown meaning at the lower levels of detail (domain facades, "Detail Levels").
//
//	short, omitted := brief.Trim(data, brief.Minimal)
//
//	{"issues":[{"number":7,"title":"Fire","state":"open","user":{…},"body":"…"}],"next_cursor":"b2Zmc2V0"}
//	→ {"issues":[{"number":7,"title":"Fire","state":"open"}],"next_cursor":"b2Zmc2V0"}
//	  and issues[].user, issues[].body
//
// The comment of package registry has the rules: which texts are cut, and which members of an element are kept.
//
// # How it works
//
// Trim walks over the bytes and builds no tree. The class of a member follows from the words of its name. Numbers,
// order and escapes stay as they are. A value without changes is returned as it came. A second Trim at the same level
// changes nothing.
//
// # Limits
//
//   - Values below 20 levels stay as they are. This bounds the time, because each level is read once more.
//   - At most 20 paths of omitted members are named, of some 64 bytes for each name.
package brief
