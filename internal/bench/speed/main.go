// Command speed measures this module side by side with what others would pick, and makes a page of it.
//
//	go -C internal/bench run ./speed -o speed -readme ../../README.md
//
// It writes README.md and plots into the folder, and the table of five lines into the README of the module. That takes
// some ten minutes on two cores, on which nothing else should run. Without -o it prints the page.
//
//	go -C internal/bench run ./speed -short
//
// takes less than two minutes. It measures smaller sizes, and fails if a ratio is far outside of what is promised
// (bound.go).
//
// # How it measures
//
// A chart (chart.go) is a table of subjects that do the same work, for growing sizes. For each size all subjects are set
// up, and warmed up. Then they are measured in turns (run.go): in each round, every subject runs a batch of operations,
// and another one is first. So what disturbs the machine disturbs all of them. Figures are medians of the rounds; the
// spread is half the distance of the quartiles.
//
//   - time: of one operation, from batches; the 99th percentile is that of single operations
//   - allocations and bytes: of one operation, of clients and servers together, since all run in one process
//   - built: time, memory in use after a collection, and goroutines, of what the setup makes
//
// # Limits
//
// Subjects of one size share a heap, so that all are collected equally often. What runs alone is collected more often.
// Over HTTP all clients are in the process of the servers and take some of the time: see the floor.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("speed", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.folder, "o", "", "write README.md and the plots into `folder`")
	flags.StringVar(&o.readme, "readme", "", "write the table of five lines into `file`")
	flags.BoolVar(&o.short, "short", false, "measure for two minutes, and fail if a ratio is far outside of what is promised")
	flags.StringVar(&o.only, "only", "", "measure the charts with these `names` only, separated by commas")
	flags.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile to `file`")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintln(stderr, "speed takes no arguments")
		flags.Usage()
		return 2
	case o.readme != "" && o.only != "":
		fmt.Fprintln(stderr, "-readme needs all charts, without -only")
		return 2
	}
	if err := o.run(context.Background(), stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "speed:", err)
		return 1
	}
	return 0
}

type options struct {
	folder, readme, only, profile string
	short                         bool
}

func (o *options) run(ctx context.Context, out, log io.Writer) error {
	list, err := o.charts()
	if err != nil {
		return err
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	e, start := long, time.Now()
	if o.short {
		e = brief
	}
	all, err := measure(ctx, list, e, log)
	if err != nil {
		return err
	}
	p := &page{charts: list, figures: all, effort: e, took: time.Since(start)}
	if err := o.write(p, out); err != nil {
		return err
	}
	if o.short && o.only == "" {
		return confirm(ctx, list, all, e, log)
	}
	return nil
}

// charts returns the chosen charts.
func (o *options) charts() ([]chart, error) {
	list := charts()
	if o.only == "" {
		return list, nil
	}
	var chosen []chart
	for name := range strings.SplitSeq(o.only, ",") {
		i := slices.IndexFunc(list, func(c chart) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no chart %q", name)
		}
		chosen = append(chosen, list[i])
	}
	return chosen, nil
}

// write writes or prints the page, and writes the table of the README.
func (o *options) write(p *page, out io.Writer) error {
	if o.folder == "" {
		if _, err := io.WriteString(out, p.markdown()); err != nil {
			return err
		}
	} else if err := p.writeTo(o.folder); err != nil {
		return err
	}
	if o.readme == "" {
		return nil
	}
	text, err := os.ReadFile(o.readme)
	if err != nil {
		return err
	}
	changed, err := withTable(string(text), p.fiveLines())
	if err != nil {
		return fmt.Errorf("%s: %w", o.readme, err)
	}
	return os.WriteFile(o.readme, []byte(changed), 0o644)
}
