// Command tokens counts what a model pays behind each face of this module for
// the same tasks, over the catalogs of real servers.
//
//	go -C internal/bench run ./tokens [-full | -wire]
//
// It prints a table in Markdown, and the numbers of tools and steps from which or up to which a face costs less than
// listing all tools. A second table shows the costs of all faces for growing numbers of functions. With -full it also
// prints each turn of each task.
//
// # The catalogs
//
// The servers everything, filesystem (files) and memory from npm, in the versions of .ci/package.json, have 36 tools
// for a client without capabilities. Folder catalogs holds their answers to tools/list, byte for byte, and to the calls
// of the tasks, with folders and times replaced. A test compares the recordings with the servers, or records them
// again:
//
//	CASH_NPM_DIR=<folder> go -C internal/bench test -tags realclients ./tokens [-update]
//
// Every face is a real server of the same functions, called by a client of the SDK. The first face lists the tools as
// their own servers do.
//
// # The sizes
//
// The second table measures the functions of examples/shop, and up to 5,000 made-up functions: ten per namespace, with
// three to six parameters. Its first face is package plain. The endpoint is the command endpoint, which is not MCP; its
// definitions are the answer to list_tools. The last column is package plain for clients that show output schemas and
// structured content to the model, beside the text. An option of that package leaves both out, which costs as much as
// the first column.
//
// # Sizes on the wire
//
// With -wire it prints another table: what a model writes and reads in five tasks, one of them for two clients, beside
// what they cost at an earlier commit, and then each step. The figures are bytes of the messages, with the tokens of
// their texts:
//
//   - written: name and arguments of a call, the URI of a read, or a line for the shell
//   - read: the result as it is sent, of which tokens are counted in the text; the output of the line
//
// The tasks in the shell need sh and jq. Without them, a recording stands for the outputs.
//
// # What is counted, and what a model does
//
// Package cash/cost plays the model. The instructions of the recorded servers are not counted, which favours listing
// all tools. The column tools/list of -full includes titles, annotations and output schemas.
//
// # Limits
//
// The servers' descriptions are short and their schemas small: 100 tokens per tool. Those of package cash/cost apply.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

func main() {
	if code, ran := serveEndpoint(); ran {
		os.Exit(code)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tokens", flag.ContinueOnError)
	flags.SetOutput(stderr)
	full := flags.Bool("full", false, "print every turn")
	wire := flags.Bool("wire", false, "print the sizes of five tasks on the wire, and nothing else")
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
	if err := report(context.Background(), stdout, *full, *wire); err != nil {
		fmt.Fprintln(stderr, "tokens:", err)
		return 1
	}
	return 0
}

func report(ctx context.Context, out io.Writer, full, wire bool) error {
	if wire {
		list, err := wireSizes(ctx)
		if err != nil {
			return err
		}
		return writeWire(out, list)
	}
	r, err := measure(ctx)
	if err != nil {
		return err
	}
	return r.write(out, full)
}

// results holds all measurements.
type results struct {
	paid  [][]*cost.Bill // by task and face
	tools growth         // of one call, by number of tools
	sizes [][]*cost.Bill // by size and face
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
		paid, err := bills(ctx, s, &tasks[i], faces, recorded(s))
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
