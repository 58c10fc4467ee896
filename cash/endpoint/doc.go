// Package endpoint speaks the protocol of command endpoints, in both directions:
// it makes a program out of a registry that answers list_tools, describe_tool and
// call_tool in JSON, and functions out of the tools of such a program.
//
// The main function of a program whose tools are those of a registry:
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	reg := registry.New(nil)
//	reg.Namespace("", "").Add(endpoint.Tool("lines", "Count the lines of a file.", endpoint.Command{Path: "./lines.sh"}))
//	os.Exit(endpoint.New(reg, nil).Run(ctx, os.Stdin, os.Stdout))
//
// And the tools of such a program as functions of a namespace:
//
//	c, err := endpoint.NewClient(endpoint.Command{Path: "./tools"}, nil)
//	if err != nil {
//		log.Fatal(err)
//	}
//	report, err := c.Mount(ctx, reg, "shell")
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
// Every request is a process: it reads one JSON object to the end of its input,
// writes one answer and ends. This is not MCP, although the protocol calls its
// messages so.
//
// # Serving
//
// An answer is one compact line on standard output, and nothing is ever written
// to standard error. Errors are answers too, with status 1:
//
//	{"type":"error","error":{"name":"endpoint","category":"usage","message":"..."}}
//
// Tools are named by their dotted paths, spelled exactly as registered. The result
// of a call is always an object:
//
//	a JSON object, structured or as text   itself, with its order of keys and spelling of numbers
//	any other JSON                         {"value": ...}
//	any other text                         {"text": "..."}
//	several blocks, or other than text     {"content": [...]}, the blocks as in MCP
//	nothing                                {}
//
// [Tool] makes a function of a command, which gets its argument in the variable
// TOOL_QUERY. Its result {"stdout": ..., "exit_code": ...} is an answer whatever
// the status is, and the process ends with that status.
//
// # Using
//
// A program is started directly and never by a shell, in a process group of its
// own that ends with the request, with the few variables that [Command] lists. Its
// answer may stand on many lines. An error may stand on standard error, where the
// original of the protocol has it, between other text; it is looked for there if
// the process failed or wrote no answer. What else is on standard error does not
// matter. With another status than 0 an answer counts only if it is that of a
// command that failed. The field command of a descriptor is text, and never run.
//
// [Client.Mount] makes labels of names: orders.create is orders_create, créer is creer,
// 日本 is tool. Where two would be the same the later one by name gets a number;
// [registry.Function.Tool] is always the name that
// the endpoint has. What a descriptor says of safety is for readers and stands at
// the end of the description: it makes no function read-only. The result is text
// and structured content, and an error if it is that of a command with another
// status than 0. Escape sequences of terminals, control characters and what turns
// the direction of text are taken out of it; all else is to the byte what the
// endpoint wrote. [Catalog] puts the tools of several endpoints into the root of a
// source, behind its own functions and under such labels.
//
// # Limits
//
// A request has at most 8 MiB, its arguments 4 MiB and 64 levels; an answer has at
// most 8 MiB, on each of the two outputs, 1,000 levels and 10,000 tools. A command
// writes at most 4 MiB, and its query has at most 32,000 characters and no NUL. At
// most 32 processes of a client run at a time; further requests wait. A process
// that is ended is asked first (SIGTERM) and killed after a second: an endpoint
// that runs commands has to end them then, as the one above does. On systems other
// than Unix what a program has started may live on.
//
// An answer is not gated. Functions that ask for input while they run cannot be
// called.
package endpoint
