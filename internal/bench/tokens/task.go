package main

// A task is a goal of the model, reached by the same steps behind every face.
type task struct {
	name    string
	goal    string
	servers []string
	steps   []step
}

// A step is a call that the task needs. How the model finds the function depends on the face.
type step struct {
	tool  string   // path
	args  string   // a JSON object
	query string   // the search for it; empty lists all tools of its server
	want  []string // texts that the model must have read in the end

	// look is the text to search for in a large result, if the face can search results.
	look string
	// narrow gets the wanted part of a large result that is held back. Nil means that only the whole will do.
	narrow *step
}

// tasks are the measured tasks. The last one uses every tool.
var tasks = []task{
	{
		name: "read a file", goal: "a file of 1 KB; three servers", servers: servers,
		steps: []step{readNote},
	},
	{
		name: "find a node, open it, write a file", goal: "on two of three servers", servers: servers,
		steps: []step{
			{tool: "memory.search_nodes", args: `{"query":"Atlas"}`, query: "find nodes in the knowledge graph", want: []string{"Atlas release"}},
			{tool: "memory.open_nodes", args: `{"names":["Atlas release"]}`, query: "open a node by its name", want: []string{"freeze on 3 June"}},
			{
				tool: "files.write_file", args: `{"path":"/data/notes/atlas.md","content":"# Atlas\n\nOwner: Ada. Freeze on 3 June, release on 17 June.\n"}`,
				query: "write a file", want: []string{"Successfully wrote"},
			},
		},
	},
	{
		name: "three entries of a 60 KB tree", goal: "the model asks for the whole tree, although another tool finds them, too; three servers",
		servers: servers,
		steps: []step{{
			tool: "files.directory_tree", args: `{"path":"/data/archive"}`, query: "show the tree of a directory", look: "unpaid",
			want:   []string{"invoice-2023-0117-unpaid.pdf", "invoice-2023-0342-unpaid.pdf", "invoice-2023-0588-unpaid.pdf"},
			narrow: &step{tool: "files.search_files", args: `{"path":"/data/archive","pattern":"**/*unpaid*"}`, query: "search files by a pattern"},
		}},
	},
	{
		name: "three lines of a 60 KB log", goal: "no other tool finds them; three servers", servers: servers,
		steps: []step{{
			tool: "files.read_text_file", args: `{"path":"/data/logs/import.log"}`, query: "read a text file", look: "ERROR",
			want: []string{"ERROR batch 123", "ERROR batch 423", "ERROR batch 723"},
		}},
	},
	{
		name: "three calls of a server with 9 tools", goal: "and no other server", servers: []string{"memory"},
		steps: []step{
			{tool: "memory.search_nodes", args: `{"query":"maintains"}`, query: "find nodes in the knowledge graph", want: []string{"Ada", "Ben", "Chen"}},
			{
				tool: "memory.add_observations", args: `{"observations":[{"entityName":"Chen","contents":["is on leave in June"]}]}`,
				query: "add an observation", want: []string{"is on leave in June"},
			},
			{
				tool: "memory.create_relations", args: `{"relations":[{"from":"Ben","to":"Chen","relationType":"stands in for"}]}`,
				query: "relate two nodes", want: []string{"stands in for"},
			},
		},
	},
	{
		name: "every tool once", goal: "35 of 36 tools; three servers", servers: servers,
		steps: everyTool,
	},
}

var readNote = step{
	tool: "files.read_text_file", args: `{"path":"/data/notes/release.md"}`, query: "read a text file", want: []string{"17 June"},
}

// everyTool calls every tool except simulate-research-query, which needs a client with the tasks of the protocol.
var everyTool = []step{
	{tool: "files.read_file", args: `{"path":"/data/notes/todo.md"}`},
	{tool: "files.read_text_file", args: `{"path":"/data/notes/todo.md","head":2}`},
	{tool: "files.read_media_file", args: `{"path":"/data/notes/dot.png"}`},
	{tool: "files.read_multiple_files", args: `{"paths":["/data/notes/todo.md","/data/notes/team.md"]}`},
	{tool: "files.write_file", args: `{"path":"/data/notes/new.md","content":"one\ntwo\n"}`},
	{tool: "files.edit_file", args: `{"path":"/data/notes/new.md","edits":[{"oldText":"two","newText":"three"}]}`},
	{tool: "files.create_directory", args: `{"path":"/data/notes/old"}`},
	{tool: "files.move_file", args: `{"source":"/data/notes/new.md","destination":"/data/notes/old/new.md"}`},
	{tool: "files.list_directory", args: `{"path":"/data/notes"}`},
	{tool: "files.list_directory_with_sizes", args: `{"path":"/data/notes"}`},
	{tool: "files.directory_tree", args: `{"path":"/data/notes"}`},
	{tool: "files.search_files", args: `{"path":"/data/notes","pattern":"**/*.md"}`},
	{tool: "files.get_file_info", args: `{"path":"/data/notes/todo.md"}`},
	{tool: "files.list_allowed_directories", args: `{}`},
	{tool: "memory.create_entities", args: `{"entities":[{"name":"Borealis","entityType":"project","observations":["starts in May"]}]}`},
	{tool: "memory.create_relations", args: `{"relations":[{"from":"Ada","to":"Borealis","relationType":"leads"}]}`},
	{tool: "memory.add_observations", args: `{"observations":[{"entityName":"Borealis","contents":["has no budget"]}]}`},
	{tool: "memory.delete_observations", args: `{"deletions":[{"entityName":"Borealis","observations":["has no budget"]}]}`},
	{tool: "memory.delete_relations", args: `{"relations":[{"from":"Ada","to":"Borealis","relationType":"leads"}]}`},
	{tool: "memory.delete_entities", args: `{"entityNames":["Borealis"]}`},
	{tool: "memory.read_graph", args: `{}`},
	{tool: "memory.search_nodes", args: `{"query":"maintains"}`},
	{tool: "memory.open_nodes", args: `{"names":["Ada"]}`},
	{tool: "everything.echo", args: `{"message":"hello"}`},
	{tool: "everything.get-annotated-message", args: `{"messageType":"success"}`},
	{tool: "everything.get-env", args: `{}`},
	{tool: "everything.get-resource-links", args: `{"count":3}`},
	{tool: "everything.get-resource-reference", args: `{"resourceType":"Text","resourceId":1}`},
	{tool: "everything.get-structured-content", args: `{"location":"Chicago"}`},
	{tool: "everything.get-sum", args: `{"a":2,"b":40}`, want: []string{"42"}},
	{tool: "everything.get-tiny-image", args: `{}`},
	{tool: "everything.gzip-file-as-resource", args: `{"name":"a.gz","data":"data:text/plain,hello"}`},
	{tool: "everything.toggle-simulated-logging", args: `{}`},
	{tool: "everything.toggle-subscriber-updates", args: `{}`},
	{tool: "everything.trigger-long-running-operation", args: `{"duration":1,"steps":2}`},
}
