// Package catalog keeps registries in step with a document: a snapshot of tools,
// resources and prompts in JSON, with results to answer by, so that a gateway
// runs without the servers that the snapshot was made of (gateway surface,
// section 9.5).
//
//	c := catalog.New(nil)
//	report, err := c.LoadFile("demo.json")
//	if err != nil {
//		log.Fatal(err)
//	}
//	log.Print(report)
//	srv := cash.NewServer(c.Tools(), nil)
//
// # The document
//
// A document is the list that a server answers to tools/list, or an object of
// lists, each of which may be missing:
//
//	{
//	  "tools": [{
//	    "name": "weather.today",
//	    "description": "Say what the weather is.",
//	    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
//	    "annotations": {"readOnlyHint": true, "tags": ["weather"]},
//	    "_meta": {"version": "1.4.0"},
//	    "results": [
//	      {"arguments": {"city": "Oslo"}, "result": {"sky": "clear", "celsius": -4}},
//	      {"result": "No such city."}
//	    ]
//	  }],
//	  "resources": [{"uri": "file:///docs/readme.md", "name": "readme", "mimeType": "text/markdown", "text": "# Read me"}],
//	  "prompts": [{
//	    "name": "summarize", "arguments": [{"name": "topic", "required": true}],
//	    "messages": [{"role": "user", "content": "Summarize {{topic}}."}]
//	  }]
//	}
//
// Members are those of MCP. What is added to them is all optional:
//
//   - A tool has a version, there or in _meta, and tags, in its annotations or in
//     _meta. It has one result, or results of which the first with the arguments
//     of the call counts, or else the first without arguments. A result is an
//     object with content or structuredContent, as of tools/call, or any other
//     JSON, which is answered as text. A tool without one answers that it has none.
//   - A resource has contents, as of resources/read, or else text or blob.
//   - A prompt has messages, as of prompts/get; content may be plain text. Where
//     {{name}} stands in a text, the argument is put, or nothing if it is not given.
//
// # The picture
//
//	document ─► definitions ─► ids ─► names ─► tree ─► registry.Replace
//	               │            │
//	               └─ findings ─┴─► Report
//
// Every namespace of ids is a namespace of the tree, directly below the root;
// what has no namespace of its own is in mcp. A function's name is the label of its
// own name, without the namespace: issues_create in repo for repo.issues.create, and
// creer for créer. Where two would be the same the later one gets a number, and keeps
// it as long as it is there.
// [registry.Function.Tool] is always the name that the document has. Resources
// and prompts are functions in trees of their own, without parameters and with
// the prompt's arguments.
//
// # Schemas
//
// Nobody has looked at the schemas of a document before (section 4.4). One that
// is larger than [Limits] is flagged in the report, and used. One that cannot be
// used at all (it is not a schema, or applies itself to the same value without
// end) is flagged too: its tool is there without it, and
// [registry.Function.Problem] says why.
//
// # Refreshing
//
// Loading again replaces each tree in one step (section 4.6). Whoever reads sees
// all of the old or all of the new, and an id that is gone is unknown. A
// definition whose text is the same stays the same function, so that a load
// costs what has changed. One bad definition costs itself only; under
// [Options.Strict] it costs the load, and the old content stays.
//
// A document may come from anywhere: escape sequences of terminals, control
// characters and what turns the direction of text are taken out of what it has as
// results, resources and prompts. The rest of them is to the byte what it says.
//
// # Limits
//
// A document has at most 64 MiB ([Options]) and 100,000 definitions of a kind;
// what is beyond those is refused. A definition has at most 1,000 levels. A
// prompt has at most 16 MiB when its arguments are in place. The arguments of all
// results of a tool have at most 256 KiB with their defaults, besides four times
// the size of its definition. Only the first 1,000 findings of a load are told,
// and all of them counted.
//
// Results are canned: nothing changes by a call. Arguments are compared as JSON,
// with the defaults of the schema filled in, and 1 is not 1.0.
package catalog
