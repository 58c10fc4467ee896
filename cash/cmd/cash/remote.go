package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// The verbs call, help and skill are the tools of the same names, over a session.

// call calls a function.
func call(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	read := env.targetFlags(flags)
	asJSON := flags.Bool("json", false, "print the whole result as JSON")
	size := flags.Int("sizelimit", 0, "the most `CHARACTERS` of a result (the server's limit)")
	err := env.parse(page{"call [flags] URL FUNCTION [JSON]\ncall [flags] FUNCTION [JSON] -- COMMAND",
		"Calls a function, such as orders.create, with arguments in JSON; - reads them\nfrom standard input. Tools of a server without the three tools of CaSH are\ncalled by their names. The exit status of an error result is 1.\n\n" + forms}, flags, args)
	if err != nil {
		return err
	}
	own, rest, err := split(flags.Args(), 1, 2)
	if err != nil {
		return err
	}
	input := map[string]any{}
	if len(own) == 2 {
		if input["kwargs"], err = env.arguments(own[1]); err != nil {
			return err
		}
	}
	if *size > 0 {
		input["sizelimit"] = *size
	}
	return env.tool(ctx, read, rest, "call", "function", own[0], input, *asJSON)
}

// maxInput bounds the arguments on standard input.
const maxInput = 16 << 20

// arguments reads the arguments of a call.
func (env *environment) arguments(text string) (json.RawMessage, error) {
	data := []byte(text)
	if text == "-" {
		var err error
		if data, err = readAtMost(env.stdin, maxInput); err != nil {
			return nil, fmt.Errorf("reading arguments: %w", err)
		}
	}
	if err := strictjson.Check(data); err != nil {
		return nil, usagef("the arguments are not JSON: %v", err)
	}
	if strictjson.KindOf(data) != strictjson.KindOf([]byte("{}")) {
		return nil, usagef(`the arguments must be a JSON object, such as '{"id": 7}'`)
	}
	return data, nil
}

// remoteHelp shows a page of help.
func remoteHelp(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	read := env.targetFlags(flags)
	asJSON := flags.Bool("json", false, "print the whole result as JSON")
	full := flags.Bool("full", false, "show advanced parameters too")
	search := flags.String("search", "", "find functions by `WORDS`")
	err := env.parse(page{"help [VERB]\nhelp [flags] URL [PATH]\nhelp [flags] [PATH --] COMMAND",
		"Shows the page of help of a namespace or function of a server, by default the\nroot. Without a server, it shows the verbs of cash, or the flags of one.\n\n" + forms}, flags, args)
	if err != nil {
		return err
	}
	own, rest, err := split(flags.Args(), 0, 1)
	if err != nil {
		return err
	}
	kwargs := map[string]any{}
	if *full {
		kwargs["params"] = "full"
	}
	if *search != "" {
		kwargs["search"] = *search
	}
	input := map[string]any{}
	if len(kwargs) > 0 {
		input["kwargs"] = kwargs
	}
	return env.tool(ctx, read, rest, "help", "function", strings.Join(own, ""), input, *asJSON)
}

// skill shows the list of skills, or one.
func skill(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	read := env.targetFlags(flags)
	asJSON := flags.Bool("json", false, "print the whole result as JSON")
	err := env.parse(page{"skill [flags] URL [PATH [JSON]]\nskill [flags] [PATH [JSON] --] COMMAND",
		"Lists the skills of a server, or prints one, with the values of its inputs in\nJSON.\n\n" + forms}, flags, args)
	if err != nil {
		return err
	}
	own, rest, err := split(flags.Args(), 0, 2)
	if err != nil {
		return err
	}
	input := map[string]any{}
	if len(own) == 2 {
		if input["kwargs"], err = env.arguments(own[1]); err != nil {
			return err
		}
	}
	return env.tool(ctx, read, rest, "skill", "skillname", strings.Join(own[:min(1, len(own))], ""), input, *asJSON)
}

// tool calls one of the three tools, and prints its result. The last label of path goes to the argument leaf.
func (env *environment) tool(ctx context.Context, read func([]string) (*target, error), words []string, name, leaf, path string, input map[string]any, asJSON bool) error {
	t, err := read(words)
	if err != nil {
		return err
	}
	stop := env.progress("connecting to " + t.String())
	defer stop()
	s, err := t.session(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if path != "" && s.label != "" && path != s.label && !strings.HasPrefix(path, s.label+".") {
		path = s.label + "." + path
	}
	reply, err := s.ask(name, leaf, path, input)
	stop()
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(env.stdout, reply.Raw)
	} else {
		err = env.printResult(reply)
	}
	if err == nil && reply.IsError {
		return status(1)
	}
	return err
}

// ask calls the tool with the path split in two. Of a path that may be a namespace as well as a function, help of the
// namespace comes second.
func (s *session) ask(name, leaf, path string, input map[string]any) (*client.Reply, error) {
	set := func(namespace, last string) {
		delete(input, "namespace")
		delete(input, leaf)
		if namespace != "" {
			input["namespace"] = namespace
		}
		if last != "" {
			input[leaf] = last
		}
	}
	namespace, last := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		namespace, last = path[:i], path[i+1:]
	}
	set(namespace, last)
	reply, err := s.conn.Tool(name, input)
	if err != nil || !reply.IsError || name == "call" || path == "" {
		return reply, err
	}
	set(path, "")
	if second, err := s.conn.Tool(name, input); err == nil && !second.IsError {
		return second, nil
	}
	return reply, nil
}

// printResult prints the contents of a result. That of an error goes to standard error.
func (env *environment) printResult(r *client.Reply) error {
	w := env.stdout
	if r.IsError {
		w = env.stderr
	}
	for _, c := range r.Raw.Content {
		text := ""
		switch c := c.(type) {
		case *mcp.TextContent:
			text = clean.Content(c.Text)
		case *mcp.ImageContent:
			text = fmt.Sprintf("[image, %s, %d bytes; -json prints it]", clean.Line(c.MIMEType, 80), len(c.Data))
		case *mcp.AudioContent:
			text = fmt.Sprintf("[audio, %s, %d bytes; -json prints it]", clean.Line(c.MIMEType, 80), len(c.Data))
		case *mcp.ResourceLink:
			text = fmt.Sprintf("[resource %s]", clean.Line(c.URI, 500))
		case *mcp.EmbeddedResource:
			text = "[resource; -json prints it]"
			if c.Resource != nil && c.Resource.Text != "" {
				text = clean.Content(c.Resource.Text)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimSuffix(text, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// columns is the width of a list.
const columns = 120

// browse lists functions, or finds them by words.
func browse(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	read := env.targetFlags(flags)
	asJSON := flags.Bool("json", false, "print JSON, with input schemas")
	most := flags.Int("n", 50, "the most functions to print, a `NUMBER` (50)")
	err := env.parse(page{"browse [flags] URL|FILE [WORDS]\nbrowse [flags] [WORDS --] COMMAND",
		"Lists the functions of a server, or finds them by words, best first. FILE is a\nconfiguration of cash serve (.yaml) or a catalog (.json).\n\n" + forms}, flags, args)
	if err != nil {
		return err
	}
	own, rest, err := split(flags.Args(), 0, 8)
	if err != nil {
		return err
	}
	t, err := read(rest)
	if err != nil {
		return err
	}
	stop := env.progress("reading " + t.String())
	defer stop()
	m, err := t.mount(ctx)
	if err != nil {
		return err
	}
	defer m.close()
	list, total, err := find(ctx, m.Registry, strings.Join(own, " "), max(*most, 0))
	stop()
	if err != nil {
		return err
	}
	if *asJSON {
		return writeJSON(env.stdout, t.entries(list))
	}
	wide := 0
	for _, f := range list {
		wide = max(wide, utf8.RuneCountInString(t.path(f)))
	}
	for _, f := range list {
		mark := "writes     "
		switch {
		case f.ReadOnly():
			mark = "reads      "
		case f.Destructive():
			mark = "destructive"
		}
		fmt.Fprintf(env.stdout, "%s%*s  %s  %s\n", env.paint(bold, t.path(f)), wide-utf8.RuneCountInString(t.path(f)), "",
			env.paint(faint, mark), clean.FirstLine(f.Description(), max(40, columns-wide-len("  destructive  "))))
	}
	if total > len(list) {
		fmt.Fprintf(env.stdout, "%d of %d functions; name words, or raise -n, for the others\n", len(list), total)
	}
	return nil
}

// find returns at most so many functions, and how many there are.
func find(ctx context.Context, reg *registry.Registry, words string, most int) ([]*registry.Function, int, error) {
	if words == "" {
		all, err := registry.Flat(ctx, reg)
		return all[:min(most, len(all))], len(all), err
	}
	var list []*registry.Function
	for _, match := range reg.Search(ctx, words, most) {
		f, err := reg.Function(ctx, match.Namespace, match.Name)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, f)
	}
	return list, len(list), nil
}

// An entry is a function in JSON.
type entry struct {
	Function    string          `json:"function"`
	Tool        string          `json:"tool,omitempty"` // the name in the server's tools/list
	Description string          `json:"description"`
	ReadOnly    bool            `json:"readOnly,omitempty"`
	Destructive bool            `json:"destructive,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
}

// path returns the path of a function for call and help: that of the server itself, if it is the only one.
func (t *target) path(f *registry.Function) string {
	if t.file != "" {
		return f.Path()
	}
	return strings.TrimPrefix(f.Path(), single+".")
}

func (t *target) entries(list []*registry.Function) []entry {
	all := make([]entry, len(list))
	for i, f := range list {
		all[i] = entry{t.path(f), f.Tool(), f.Description(), f.ReadOnly(), f.Destructive(), f.InputSchema()}
	}
	return all
}
