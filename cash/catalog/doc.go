// Package catalog serves tools, resources and prompts from a JSON document: a snapshot of servers, with canned
// results, so that a gateway runs without those servers (gateway surface, section 9.5).
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
// A document is the result of tools/list, or an object of lists, each of which may be missing:
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
// Members are those of MCP. All additions are optional:
//
//   - A document has a server_name: the name by which its tools' server is configured. It is the namespace of names
//     without a dot or slash. A tool of another server has a server_name of its own in _meta.
//   - A tool has a version, tags and a costHint, directly or in _meta; tags and costHint may also be in its
//     annotations. Tags that name a safety class, such as destructive, are left out: only hints say that. An id in
//     _meta replaces the one that follows from its name.
//   - A tool has one result, or a list of results. The first result with the arguments of the call counts, otherwise
//     the first without arguments. A result is an object with content or structuredContent, as for tools/call, or any
//     other JSON, which is returned as text. A tool without a result answers with an error.
//   - A resource has contents, as for resources/read, or text, or blob.
//   - A prompt has messages, as for prompts/get. Content may be a plain string. {{name}} in a text is replaced by
//     the argument, or by nothing if that is not given.
//
// # The picture
//
//	document ─► definitions ─► ids ─► names ─► tree ─► registry.Replace
//	               │            │
//	               └─ findings ─┴─► Report
//
// Every namespace of ids is a namespace of the tree, directly below the root. The default namespace is mcp. A
// function's name is the label of its own name, without the namespace: creer for créer. Names of tools with dots nest
// (section 3.3): repo.issues.create is create in repo.issues. Of equal labels the later one gets a hash of its name,
// and keeps it as long as it exists. [registry.Function.Tool] is always the document's name. Resources and prompts are
// functions in trees of their own: without parameters, and with the prompt's arguments.
//
// # Schemas
//
// The schemas of a document are untrusted (section 4.4). A schema over [Limits] is flagged in the report, and used.
// An unusable one (it is not a schema, or applies itself to the same value without end) is flagged too. Its tool is
// served without it, and [registry.Function.Problem] says why. One whose only mistakes are names of types that do not
// exist, such as str, is shown and searched ([registry.Function.Partial]).
//
// # Refreshing
//
// Loading again replaces each tree in one step (section 4.6). Readers see either the old or the new content; a
// removed id is unknown. A definition with the same text keeps its function, so that a load costs only the changes.
// A bad definition affects only itself. Under [Options.Strict] it fails the load, and the old content stays.
//
// A document may be hostile. Terminal escape sequences, control characters and characters that change the direction
// of text are removed from results, resources and prompts. All else stays byte for byte.
//
// # Limits
//
//   - A document has at most 64 MiB ([Options]) and 100,000 definitions of a kind; more are refused.
//   - A definition has at most 1,000 levels.
//   - A prompt has at most 16 MiB with its arguments filled in.
//   - The arguments of all results of a tool, with defaults filled in, have at most 256 KiB plus four times the
//     size of the definition.
//   - A report lists the first 1,000 findings of a load, and counts all.
//   - Results are canned: a call changes nothing. Arguments are compared as JSON with the schema's defaults filled
//     in; 1 is not 1.0.
package catalog
