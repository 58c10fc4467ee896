// Command tokens counts what a model pays behind each face of this module for
// the same tasks, over the catalogs of real servers.
//
//	go -C internal/bench run ./tokens [-full]
//
// It prints a table in markdown, and from when on which face costs less than
// listing all tools; with -full also each turn of each task. A second table has
// what all faces cost as the number of functions grows.
//
// # The catalogs
//
// The servers everything, filesystem (files) and memory of npm, in the versions
// of .ci/package.json, were asked by a client without abilities: 36 tools. What
// they answered to tools/list is in catalogs, to the byte, with what they
// answered to the calls of the tasks; folders and times are replaced. A test
// holds that they still answer that, or records what they do:
//
//	CASH_NPM_DIR=<folder> go -C internal/bench test -tags realclients ./tokens [-update]
//
// Every face is a real server of the same functions, and is asked by a client of
// the SDK. The first one lists the tools as their own servers do.
//
// # The sizes
//
// The second table is about the functions of examples/shop, and about up to 5,000
// that are made up: ten in each namespace, with three to six parameters. There
// the first face is package plain, and the last is no MCP: the command endpoint,
// whose definitions are its answer to list_tools.
//
// # What is counted
//
// Tokens are those of cl100k_base.
//
//	definitions  name, description and input schema of each tool in JSON, and the server's instructions;
//	             URI, name and description of each resource, for a face whose model reads them
//	turn         {"name", "arguments"} of a call in JSON, and the texts of its result;
//	             the same of a read, with the URI as its argument
//	once         definitions and turns, each token once: what the conversation has in the end
//	input        definitions and all turns so far, for each request: one for each turn, and one for the answer
//
// What a client pays is between the two: input without a cache of prompts, and
// near to once with one. The words of the user, and the answer, are the same
// behind every face and are left out. So are titles, annotations, output schemas
// and structured content, because not all clients show them; -full says in
// the column tools/list what definitions are with them. The instructions of the
// recorded servers are left out, which favours listing all tools.
//
// # What a model does
//
// It takes the shortest way that its texts show to one that guesses nothing: it
// looks for a function unless it has seen it in a list, reads its parameters
// unless it has read them, and calls it, one call in a turn. Of a large result
// that is held back it looks for what it needs, if the face can do that; else it
// calls the function that finds just this, if the task has one, and asks for all
// of it if not. The program fails if a model has not read in the end what its
// task wants. Real models make mistakes on top, behind every face.
//
// Behind disclosure it reads the description of one tool at a time, although it
// might read several. The facade has ToolsExecute, by which it reads the
// definition of a command, because a domain names no more than its parameters.
//
// # Limits
//
// Other encodings, and what providers wrap around tools, give other numbers. The
// servers' descriptions are short and their schemas small: 100 tokens a tool.
// The gateway cannot show the parameters of a function that requires none of
// them; the model is taken to know them there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tokens", flag.ContinueOnError)
	flags.SetOutput(stderr)
	full := flags.Bool("full", false, "print every turn")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintln(stderr, "tokens takes no arguments")
		flags.Usage()
		return 2
	}
	r, err := measure(context.Background())
	if err == nil {
		err = r.write(stdout, *full)
	}
	if err != nil {
		fmt.Fprintln(stderr, "tokens:", err)
		return 1
	}
	return 0
}

// results are all that is measured.
type results struct {
	paid  [][]*bill // by task and face
	tools growth    // of one call, by the number of tools
	sizes [][]*bill // by size and face
}

func measure(ctx context.Context) (*results, error) {
	r := new(results)
	for i := range tasks {
		tools, err := recordedTools(tasks[i].servers...)
		if err != nil {
			return nil, err
		}
		s, err := newSet(tools)
		if err != nil {
			return nil, err
		}
		paid, err := bills(ctx, s, &tasks[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tasks[i].name, err)
		}
		r.paid = append(r.paid, paid)
	}
	tools, err := recordedTools(servers...)
	if err != nil {
		return nil, err
	}
	if r.tools, err = byTools(ctx, tools); err != nil {
		return nil, err
	}
	r.sizes, err = bySize(ctx)
	return r, err
}

func (r *results) write(out io.Writer, full bool) error {
	p := &page{out: out}
	if full {
		for i := range tasks {
			p.details(&tasks[i], r.paid[i])
		}
	}
	p.summary(r.paid)
	p.whoWins(r.tools, bySteps(r.paid[len(r.paid)-1]))
	p.sizes(r.sizes)
	return p.err
}
