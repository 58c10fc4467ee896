package main

import (
	"slices"
	"time"
)

// A chart compares subjects at the same work, for each size.
type chart struct {
	name     string // also of the plot's file
	title    string
	work     string // what one operation is
	axis     string // what grows; empty is nothing
	sizes    []int
	short    []int  // the sizes with -short; none leaves the chart out
	parallel bool   // the size is the number of clients that work at a time
	built    string // what the setup makes; empty does not show its time and memory
	per      string // what is one of the sizes, for the memory per item
	items    int    // how many of these one of the sizes has; zero is one
	subjects []subject
}

// A subject is one way to do the work.
type subject struct {
	name string
	kind kind
	like string // of a peer: the only subject that does the same; empty is each of ours
	most int    // the largest size; zero is no bound
	// setup makes what is measured. It returns the operation, which is given the number of the client.
	setup func(t *trial) (func(client int) error, error)
}

// A kind says whose work a subject is.
type kind int

const (
	ours  kind = iota
	peer       // another library
	floor      // what any of them has to do at least
)

// charts is everything that is measured, in the order of the page.
func charts() []chart {
	return slices.Concat(callCharts(), searchCharts(), toolCharts(), mountCharts(), treeCharts(), resultCharts())
}

// chosen returns the sizes of a run.
func (c *chart) chosen(short bool) []int {
	if short {
		return c.short
	}
	return c.sizes
}

// A figure is what was measured of one subject at one size.
type figure struct {
	chart, subject string
	size           int
	rounds         []float64     // nanoseconds per operation of each round, sorted
	singles        []float64     // nanoseconds of single operations, sorted
	allocs, bytes  float64       // of one operation, on all sides; negative is not measured
	setup          time.Duration // zero if another subject has made it
	heap           int64         // bytes that the setup keeps
	goroutines     int           // that the setup starts
}

func (f *figure) median() float64 { return quantile(f.rounds, 0.5) }

// fastest is what disturbances leave alone.
func (f *figure) fastest() float64 { return f.rounds[0] }

// spread is half the distance of the quartiles, relative to the median.
func (f *figure) spread() float64 {
	return (quantile(f.rounds, 0.75) - quantile(f.rounds, 0.25)) / 2 / f.median()
}

// figures are all figures of a run.
type figures []*figure

// of returns a figure, nil if it was not measured.
func (fs figures) of(chart, subject string, size int) *figure {
	for _, f := range fs {
		if f.chart == chart && f.subject == subject && f.size == size {
			return f
		}
	}
	return nil
}

// line returns the figures of a subject by size.
func (fs figures) line(chart, subject string) figures {
	var line figures
	for _, f := range fs {
		if f.chart == chart && f.subject == subject {
			line = append(line, f)
		}
	}
	return line
}
