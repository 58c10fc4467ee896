package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/config"
	"github.com/cash-mcp/go-sdk/internal/clean"
)

var doctorPage = page{
	form: "doctor [flags] -config FILE",
	about: `Connects to everything in a configuration file, and says what is wrong and how
to mend it. Nothing is served, pinned or called. The exit status is 0 if a start
would succeed with every server, 1 if not, 2 if the file itself is wrong.`,
}

// maxShown is the most characters of a line.
const maxShown = 300

// doctor looks for what is wrong with a configuration.
func doctor(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	file := flags.String("config", "", "the configuration `FILE`")
	verbose := flags.Bool("v", false, "log the events of the servers to standard error")
	if err := env.parse(doctorPage, flags, args); err != nil {
		return err
	}
	if *file == "" || flags.NArg() > 0 {
		return usagef("name a file: cash doctor -config FILE")
	}
	f, err := config.Load(*file)
	if err != nil {
		return usageError(err.Error())
	}
	var log *slog.Logger // what is wrong is printed below
	if *verbose {
		log = logger(env.stderr, true)
	}
	stop := env.progress("connecting to the servers")
	defer stop()
	d, err := config.Diagnose(ctx, f, log)
	stop()
	if err != nil {
		return err
	}
	bad := 0
	for _, st := range d.Servers {
		line := fmt.Sprintf("%s: %v", strings.Join(st.Labels, ", "), st.State)
		if st.Server != "" {
			line += fmt.Sprintf(", %s (%v), %d functions, %d skills, %d resources, %d prompts",
				st.Server, st.Kind, st.Functions, st.Skills, st.Resources, st.Prompts)
		}
		fmt.Fprintln(env.stdout, clean.Line(line, maxShown))
	}
	for _, p := range d.Problems {
		mark := "note"
		if !p.Harmless {
			mark = "problem"
			bad++
		}
		fmt.Fprintf(env.stdout, "%s: %s: %s\n", mark, clean.Line(p.Subject, maxShown), clean.Line(p.Reason, maxShown))
		for _, line := range p.Wrote {
			fmt.Fprintf(env.stdout, "    it wrote: %s\n", clean.Line(line, maxShown))
		}
		if p.Mend != "" {
			fmt.Fprintf(env.stdout, "    %s\n", p.Mend)
		}
	}
	for _, h := range hints(f) {
		fmt.Fprintln(env.stdout, "note: "+h)
	}
	if bad > 0 {
		return status(1)
	}
	fmt.Fprintln(env.stdout, "nothing is wrong")
	return nil
}
