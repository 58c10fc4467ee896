// Command cash checks, measures, calls and serves MCP servers.
//
//	go install github.com/cash-mcp/go-sdk/cash/cmd/cash@latest
//	cash help
//
// README.md is its guide. Each verb has a file of its own, and is a thin layer over a package of this module:
//
//	main.go ─► verbs ─► a verb: flags, then package check, cost, upstream ..., then text or JSON
//	           environment.go: standard streams, flags, exit status
//
// # Limits
//
//   - Texts of servers are cleaned before they are printed. With -json, strings are escaped instead.
//   - A command is started directly, without a shell.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/spelling"
)

// A verb is what cash can do.
type verb struct {
	name, synopsis string
	// run does it, with the words after the verb. Its error is printed, unless it is a status.
	run func(ctx context.Context, env *environment, args []string) error
}

// verbs returns the verbs, in the order of help.
func verbs() []verb {
	return []verb{
		{"serve", "serve the servers of a configuration file behind one face", serve},
		{"doctor", "say what is wrong with a configuration and how to mend it", doctor},
		{"check", "check a server against its specification", checkServer},
		{"tokens", "count what a server costs a model, behind each face", tokens},
		{"call", "call a function of a server", call},
		{"help", "show the help of a server, this list, or the flags of a verb", help},
		{"skill", "list the skills of a server, or print one", skill},
		{"browse", "list or search the functions of a server", browse},
		{"explore", "serve a page that shows a server and what it costs a model", exploreServer},
		{"lint", "report what makes functions and skills hard to use for a model", lint},
		{"import", "turn the configuration of an MCP client into one for serve", importConfig},
		{"completion", "print a script that completes verbs and flags in a shell", completion},
		{"version", "print the version", version},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process
	env := &environment{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: isTerminal(os.Stdout), progressed: isTerminal(os.Stderr), getenv: os.Getenv,
	}
	code := run(ctx, env, os.Args[1:])
	stop()
	os.Exit(code)
}

// maxError bounds a printed error, in bytes. Servers word some errors.
const maxError = 16 << 10

// run returns the exit status: 0, 1 for a failure or a finding, 2 for wrong usage.
func run(ctx context.Context, env *environment, args []string) int {
	if len(args) == 0 {
		args = []string{"help"}
	}
	name := args[0]
	if name == "-h" || name == "-help" || name == "--help" {
		name, args = "help", args[:1]
	}
	var failed status
	switch err := dispatch(ctx, env, name, args[1:]); {
	case err == nil:
		return 0
	case errors.As(err, &failed):
		return int(failed)
	default:
		text := clean.Text(clean.Beginning(err.Error(), 2*maxError))
		if len(text) > maxError {
			text = clean.Beginning(text, maxError) + "…"
		}
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			text = "interrupted"
		}
		fmt.Fprintf(env.stderr, "cash %s: %s\n", clean.Line(name, 40), text)
		if errors.As(err, new(usageError)) {
			return 2
		}
		return 1
	}
}

func dispatch(ctx context.Context, env *environment, name string, args []string) error {
	names := make([]string, 0, len(verbs()))
	for _, v := range verbs() {
		if v.name == name {
			return v.run(ctx, env, args)
		}
		names = append(names, v.name)
	}
	return usagef("there is no such verb%s; cash help lists them", didYouMean(name, names))
}

// help lists the verbs, shows the help of one, or asks a server for help.
func help(ctx context.Context, env *environment, args []string) error {
	switch {
	case len(args) == 0 && env.flags == nil:
		overview(env.stdout)
		return nil
	case len(args) == 1 && isVerb(args[0]):
		return dispatch(ctx, env, args[0], []string{"-h"})
	}
	return remoteHelp(ctx, env, args)
}

func isVerb(name string) bool {
	return slices.ContainsFunc(verbs(), func(v verb) bool { return v.name == name })
}

func overview(w io.Writer) {
	fmt.Fprint(w, "cash checks, measures, calls and serves MCP servers.\n\nusage: cash VERB [flags] [arguments]\n\n")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-11s %s\n", v.name, v.synopsis)
	}
	fmt.Fprint(w, "\ncash VERB -h shows the flags of a verb.\n")
}

// didYouMean returns " (did you mean NAME?)", or nothing if no name is close.
func didYouMean(word string, names []string) string {
	best, most := "", min(2, len(word)/2)
	for _, name := range names {
		if d := spelling.Distance(strings.ToLower(word), name, most); d <= most {
			best, most = name, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}
