// Package toolid names tools. It derives the id of a tool from its definition, parses and formats ids, and parses the
// paths for browsing tools (gateway surface, sections 1, 3 and 9).
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
// A tool has the version that its source declares, or else a hash: eight digits over its name and the names of its
// parameters ([Hash]). So an id survives changes of descriptions, but not of names.
//
// # From one tool to a catalog
//
// [FromTool] is strict: a name outside the grammar is an error. [FromTools] takes a whole listing of one source. It
// maps names outside the grammar into it, and refuses only tools that cannot be told apart. The [Entry] of each tool
// has the outcome.
//
// A [Primitive] names a resource, prompt or skill: an id with a kind in front, as in prompt::github:summarize#2a472891.
// [WireNames] spell ids where only plain names are allowed, such as the names of MCP tools.
//
// # Limits
//
//   - An id has at most 240 bytes, a path at most 4,096.
//   - A hash has 32 bits. It distinguishes honest tools, but a source can forge two names with the same hash. FromTools
//     and WireNames therefore never give one id or name to two tools. Comparing two sources is the caller's task.
//   - The schema is used only for the hash, and only its top level: properties behind a $ref do not count.
package toolid
