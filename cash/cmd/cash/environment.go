package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// An environment is what a verb has of its process.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool // stdout is a terminal
	progressed     bool // stderr is a terminal
	getenv         func(string) string

	// flags, if not nil, is told the flags of a verb, which then does nothing.
	flags func(*flag.FlagSet)
}

// A status ends the process without a message. The verb has printed what there is to say.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// A usageError is a mistake in the words of the command line. The exit status is 2.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// A page is the help of a verb.
type page struct {
	// form is what follows the name of the program, such as "check [flags] URL | COMMAND". One line each.
	form string
	// about is prose in lines of at most 80 characters.
	about string
}

// newFlags returns the flags of a verb, to be read by parse.
func newFlags() *flag.FlagSet {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// parse reads the flags in args. After -h, it prints the page and returns status 0. The remaining words are flags.Args.
func (env *environment) parse(p page, flags *flag.FlagSet, args []string) error {
	if env.flags != nil {
		env.flags(flags)
		return status(0)
	}
	err := flags.Parse(args)
	// Package flag drops the -- before a command. It is kept if the command has one of its own.
	if rest := flags.Args(); len(rest) < len(args) && args[len(args)-len(rest)-1] == "--" && slices.Contains(rest, "--") {
		err = flags.Parse(append([]string{"--", "--"}, rest...))
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, flag.ErrHelp):
		p.print(env.stdout, flags)
		return status(0)
	}
	verb, _, _ := strings.Cut(p.form, " ")
	hint := ""
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		var names []string
		flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		err, hint = fmt.Errorf("there is no flag -%.40s", name), didYouMean(name, names)
	}
	return usagef("%v%s; cash %s -h lists the flags", err, hint, verb)
}

// print writes the page, with one line for each flag.
func (p page) print(w io.Writer, flags *flag.FlagSet) {
	fmt.Fprintf(w, "usage: cash %s\n\n%s\n", strings.ReplaceAll(p.form, "\n", "\n       cash "), p.about)
	heading := "\nflags:\n"
	flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(w, "%s  %-20s %s\n", heading, strings.TrimSpace("-"+f.Name+" "+value), usage)
		heading = ""
	})
}

// isTerminal reports whether f is a character device, as terminals are.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
