// Command table prints the packages of the module with their code lines, budgets,
// exported names and largest types.
//
//	go run ./internal/layout/table [DIR]
//
// DIR is the folder of the module, by default the working directory. The exit code is 1 if a package is above its
// budget or missing from the table. Package layout explains the measures.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/cash-mcp/go-sdk/internal/layout"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0, 1 for a tree that breaks the table, 2 for wrong usage or an unreadable tree.
func run(args []string, stdout, stderr io.Writer) int {
	dir := "."
	switch len(args) {
	case 0:
	case 1:
		dir = args[0]
	default:
		fmt.Fprintln(stderr, "table takes one folder at most")
		return 2
	}
	sizes, err := layout.Measure(dir)
	if err == nil {
		err = layout.Write(stdout, sizes)
	}
	if err != nil {
		fmt.Fprintln(stderr, "table:", err)
		return 2
	}
	problems := layout.Problems(sizes)
	for _, p := range problems {
		fmt.Fprintln(stderr, "table:", p)
	}
	return min(len(problems), 1)
}
