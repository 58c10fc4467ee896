// Package endpoint implements the protocol of command endpoints in both directions. It turns a registry into a
// program that answers list_tools, describe_tool and call_tool in JSON, and it turns the tools of such a program
// into functions.
//
// A program that serves the tools of a registry:
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	reg := registry.New(nil)
//	reg.Namespace("", "").Add(endpoint.Tool("lines", "Count the lines of a file.", endpoint.Command{Path: "./lines.sh"}))
//	os.Exit(endpoint.New(reg, nil).Run(ctx, os.Stdin, os.Stdout))
//
// The tools of such a program as functions of a namespace:
//
//	c, err := endpoint.NewClient(endpoint.Command{Path: "./tools"}, nil)
//	if err != nil {
//		log.Fatal(err)
//	}
//	report, err := c.Mount(ctx, reg, "shell")
//
// [FromEnv] makes a client of the program that MCP_ENDPOINT names.
//
// # The picture
//
//	          one request, to its end                       one request, then the end
//	client ───────── stdin ─────────► Endpoint    Client ───────── stdin ─────────► program
//	       ◄──────── stdout ─────────    │                ◄─── stdout, stderr ─────
//	       ◄── status ─────────────── Pipeline            ◄── status ─────────────
//	                                     │
//	                       functions, commands ([Tool])
//
// Every request is a process. It reads one JSON object to the end of its input, writes one answer and exits. This
// is not MCP, although the protocol calls its messages so.
//
// # Serving
//
// An answer is one compact line on standard output. The endpoint itself writes nothing to standard error. Errors are
// answers too, with status 1. Their name is that of the component that failed: this endpoint, a mounted server, or what
// another endpoint said.
//
//	{"type":"error","error":{"name":"endpoint","category":"usage","message":"..."}}
//
// Tools are named by their dotted paths. They are found in any spelling of one canonical form, and similar names are
// suggested. The descriptor of another endpoint's tool is passed on as that endpoint wrote it, with members that the
// protocol does not know. Only its name and its origin are those of this side. The result of a call is always an
// object:
//
//	a JSON object, structured or as text   itself, with its order of keys and spelling of numbers
//	any other JSON                         {"value": ...}
//	any other text                         {"text": "..."}
//	several blocks, or other than text     {"content": [...]}, the blocks as in MCP
//	nothing                                {}
//
// The text of a function whose Go type is a string is {"text": "..."}, also if it is JSON. A descriptor's result_schema
// is that of the type ([registry.Function.OutputSchema]), or that of the tool's own server.
//
// [Tool] makes a function from a command. The command gets its argument in the variable TOOL_QUERY. The result
// {"stdout": ..., "exit_code": ...} is an answer with any status, and the process exits with that status.
//
// While [Endpoint.Run] serves a request, standard output belongs to the answer. What functions print there goes to
// standard error instead: by way of [os.Stdout], of file 1, and of processes that inherit it. It is discarded if both
// outputs are one file or pipe, because a client then reads them as one. On Windows and on systems other than Linux,
// macOS and the BSDs, only [os.Stdout] is diverted: code in other languages still writes to standard output.
//
// # Using
//
// A program is started directly, never by a shell, with the few variables that [Command] lists. Its process group
// ends with the request.
//   - An answer may span many lines.
//   - The original implementation writes errors to standard error, between other text. They are looked for there if
//     the process failed or wrote no answer. Other text there is ignored.
//   - With a status other than 0, an answer counts only if it is that of a failed command.
//   - The field command of a descriptor is text, and never run.
//
// [Client.Mount] makes labels from names: orders.create becomes orders_create, créer creer, 日本 tool. Of equal
// labels the later one by name gets a number. [registry.Function.Tool] is always the endpoint's own name. A
// descriptor's safety is for readers: it is added to the description, and makes no function read-only. The result
// is text and structured content. It is an error if a command exited with a status other than 0. Terminal escape
// sequences, control characters and characters that change the direction of text are removed; all else stays byte
// for byte. [Catalog] adds the tools of several endpoints to the root of a source, after its own functions and with
// such labels.
//
// # Limits
//
//   - A request has at most 8 MiB; its arguments 4 MiB and 64 levels.
//   - An answer has at most 8 MiB on each of the two outputs, 1,000 levels and 10,000 tools. These limits hold for the
//     endpoint and for the client, so that one takes what the other sends. A larger answer is an error. A list leaves
//     out remote tools without room.
//   - Of a descriptor that is passed on, description and safety have at most 4,000 characters, the command 2,000, and
//     the members that the protocol does not know 16 KiB.
//   - A command writes at most 4 MiB. Its query has at most 32,000 characters and no NUL.
//   - At most 32 processes of a client run at a time; further requests wait.
//   - A process is ended by SIGTERM, and killed a second later, with its process group. An endpoint must end its own
//     commands in that time, as the one above does. On systems other than Unix, processes that a program has started
//     may survive.
//   - If an endpoint itself is killed, Linux and FreeBSD kill the commands and servers that it has started, but not
//     what those have started in turn. On other systems mounted servers see the end of their input, and commands
//     survive.
//   - Answers are not gated. Functions that ask for input during a call cannot be called.
package endpoint
