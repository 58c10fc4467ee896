// Command recall measures the tool search of package registry on sets of tools
// and queries with known answers.
//
//	go -C internal/bench run ./recall -tools tools.jsonl -queries queries.jsonl
//	go -C internal/bench run ./recall [-k 10] DIR...
//
// Paths are absolute, or relative to internal/bench. A DIR holds tools.jsonl and queries.jsonl, or folders with them.
// Their lines are
//
//	tools.jsonl     {"name", "description", "inputSchema"}; only name is required; server/ or server. may precede it
//	queries.jsonl   {"query", "gold": [names]}
//
// # What is measured
//
//	R@k      |gold tools among the first k| / |gold tools|, averaged over the queries (macro average)
//	nDCG@k   discounted gain of the gold tools among the first k, relative to the best order possible
//	build    the first search after registration, which builds the snapshot and its index
//	p50 p99  quantiles of the time of a query, one after the other
//	heap     what stays allocated after the build that was not before; the tools themselves are not counted
//
// A gold name without a tool counts as not found. Of tools with the same name the first counts. The program reports
// both, and the number of input schemas that the registry refuses. Such a tool is registered with a schema that accepts
// anything.
//
// # Limits
//
// A set is held in memory, and a line has at most 64 MiB. With few queries the times mean little.
package main

import (
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
	flags := flag.NewFlagSet("recall", flag.ContinueOnError)
	flags.SetOutput(stderr)
	tools := flags.String("tools", "", "read the tools of one set from `file`")
	queries := flags.String("queries", "", "read the queries of that set from `file`")
	k := flags.Int("k", 10, "how many matches to ask for")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case *k < 1 || (*tools == "") != (*queries == "") || *tools == "" && flags.NArg() == 0:
		fmt.Fprintln(stderr, "recall takes -tools and -queries, or folders, and a positive -k")
		flags.Usage()
		return 2
	}
	sources, err := sourcesIn(flags.Args())
	if *tools != "" {
		sources = append([]source{{*tools, *tools, *queries}}, sources...)
	}
	if err == nil {
		err = report(sources, *k, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "recall:", err)
		return 1
	}
	return 0
}

// report measures one set after the other, so that only one is in memory.
func report(sources []source, k int, out io.Writer) error {
	var rows []figures
	for _, src := range sources {
		s, err := src.read()
		if err != nil {
			return err
		}
		row, err := measure(s, k)
		if err != nil {
			return fmt.Errorf("%s: %w", src.name, err)
		}
		rows = append(rows, row)
	}
	return writeTable(out, rows, k)
}
