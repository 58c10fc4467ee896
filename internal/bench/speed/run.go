package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// effort is how long things are measured.
type effort struct {
	short  bool
	budget time.Duration // for one subject at one size
	rounds int
}

var (
	long  = effort{budget: 1500 * time.Millisecond, rounds: 21}
	brief = effort{short: true, budget: 250 * time.Millisecond, rounds: 11}
)

// note is the part of the command that makes the difference.
func (e effort) note() string {
	if e.short {
		return " and `-short`, with smaller sizes than without it"
	}
	return ""
}

// fewest is the number of rounds of operations that take longer than the budget, unless they are slow.
const fewest = 3

// slow operations have one round.
const slow = 5 * time.Second

// measure runs charts, and logs each size.
func measure(ctx context.Context, list []chart, e effort, log io.Writer) (figures, error) {
	var all figures
	for i := range list {
		c := &list[i]
		for _, size := range c.chosen(e.short) {
			start := time.Now()
			got, err := c.measure(ctx, size, e)
			if err != nil {
				return nil, fmt.Errorf("%s, %d %s: %w", c.name, size, c.axis, err)
			}
			all = append(all, got...)
			fmt.Fprintf(log, "%s, %d %s: %d subjects in %.1f s\n", c.name, size, c.axis, len(got), time.Since(start).Seconds())
		}
	}
	return all, nil
}

// measure sets the subjects up, and measures them in turn.
func (c *chart) measure(ctx context.Context, size int, e effort) (figures, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir, err := os.MkdirTemp("", "speed")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var trials []*trial
	shared := make(map[string]any)
	defer func() {
		for _, t := range trials {
			t.stop()
		}
	}()
	for i := range c.subjects {
		s := &c.subjects[i]
		if s.most > 0 && size > s.most {
			continue
		}
		t := &trial{ctx: ctx, dir: filepath.Join(dir, fmt.Sprint(i)), size: size, clients: 1, subject: s, shared: shared}
		if c.parallel {
			t.clients = size
		}
		trials = append(trials, t)
		if err := os.Mkdir(t.dir, 0o700); err != nil {
			return nil, err
		}
		if err := t.start(c.name); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return inTurns(trials, e)
}

// inTurns measures in rounds. In each, every trial has its turn, and another one is first.
func inTurns(trials []*trial, e effort) (figures, error) {
	rounds := make([]int, len(trials))
	for i, t := range trials {
		one, err := t.warm(e.budget / 10)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.subject.name, err)
		}
		rounds[i] = min(max(int(e.budget/one), fewest), e.rounds)
		if one > slow {
			rounds[i] = 1
		}
		if t.took == nil {
			t.batch = max(int(e.budget/one)/rounds[i], 1) * t.clients
		}
	}
	runtime.GC()
	for round := range e.rounds {
		for j := range trials {
			i := (round + j) % len(trials)
			if round >= rounds[i] {
				continue
			}
			if err := trials[i].round(); err != nil {
				return nil, fmt.Errorf("%s: %w", trials[i].subject.name, err)
			}
		}
	}
	var list figures
	for _, t := range trials {
		list = append(list, t.finish())
	}
	return list, nil
}
