// Package toolid names a tool: it infers the id of a tool from what a source
// says of it, parses and formats ids, and reads the paths under which tools
// are browsed (gateway surface, sections 1, 3 and 9).
//
//	id, err := toolid.FromTool("github.create_issue", inputSchema, "")
//	fmt.Println(id) // github:create_issue#6c5f877d
//	id, err = toolid.Parse("github:create_issue#6c5f877d")
//
// # The picture
//
//	github . create_issue  +  names in the input schema
//	   │          │                      │
//	   ▼          ▼                      ▼
//	github : create_issue @ 1.4.0 # 6c5f877d
//	namespace    name     version    hash
//
// A tool has a version, if its source declares one, or else a hash: eight digits
// over the name and the names of its parameters ([Hash]). So an id outlives a
// change of descriptions, and none of what is called.
//
// # From one tool to a catalog
//
// [FromTool] is strict: a name outside the grammar is an error. [FromTools]
// takes everything that one source lists: names outside the grammar are mapped
// into it, only tools that cannot be told apart are refused, and each tool's
// [Entry] says what became of it.
//
// Resources, prompts and skills have a [Primitive], which is an id with a kind
// in front: prompt::github:summarize#2a472891. Ids go where only plain names
// are allowed, such as the names of MCP tools, through [WireNames].
//
// # Limits
//
//   - An id has at most 240 bytes, a path at most 4,096.
//   - A hash has 32 bits: it tells apart honest tools, and a source can forge
//     two names with the same one. FromTools and WireNames therefore never give
//     one id or name to two tools; a pair of sources is the caller's to compare.
//   - The schema of a tool is read only for its hash, and only its top level:
//     properties behind a $ref do not count.
package toolid
