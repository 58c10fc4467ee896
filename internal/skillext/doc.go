// Package skillext has the skills of a registry in the form of the skills extension of MCP
// (io.modelcontextprotocol/skills, SEP-2640), and reads that form from other servers. It knows nothing of transports.
//
//	entries, next, err := skillext.List(ctx, src, after)   // a page of skills/list
//	entry, err := skillext.Get(ctx, src, uri)              // skills/get
//	file, err := skillext.Read(ctx, src, uri)              // resources/read
//	children, err := skillext.Directory(ctx, src, uri)     // resources/directory/read
//
// # URIs
//
//	skill://<namespace>/<name>/<file>   namespace is dotted, in lower case; the name is that of an Agent Skill
//	skill://<name>/<file>               a skill in the root
//
// Both parts lead to the same skill in the tool skill. There is one URI for each file; other spellings are unknown. A
// skill in the root whose name is also that of a namespace encloses the skills of that namespace, which the extension
// calls nested.
//
// # Visibility
//
// Everything is looked up in the source for the caller in the context. What the caller does not see is [ErrUnknown], as
// what does not exist.
//
// # Limits
//
// A page has up to 100 skills, and ends after 256 KiB. Skills without a name by the rules of Agent Skills, and those with
// more files than the extension allows, are left out.
package skillext
