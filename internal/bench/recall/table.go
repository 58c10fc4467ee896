package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// writeTable writes one row per set, the mean if there are several sets, and notes about the data.
func writeTable(out io.Writer, rows []figures, k int) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "set\ttools\tqueries\t")
	for _, cut := range cutoffs(k) {
		fmt.Fprintf(w, "R@%d\t", cut)
	}
	fmt.Fprintf(w, "nDCG@%d\tbuild\tp50\tp99\theap\t\n", k)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s", r.set, r.tools, r.queries, percents(r))
		fmt.Fprintf(w, "%s\t%s\t%s\t%.1f MB\t\n", brief(r.build), brief(r.p50), brief(r.p99), float64(r.heap)/1e6)
	}
	if len(rows) > 1 {
		fmt.Fprintf(w, "mean\t\t\t%s\n", percents(mean(rows)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		for _, note := range r.notes() {
			if _, err := fmt.Fprintf(out, "%s: %s\n", r.set, note); err != nil {
				return err
			}
		}
	}
	return nil
}

// percents returns the cells of recall and gain.
func percents(r figures) string {
	var b strings.Builder
	for _, share := range append(r.recall[:len(r.recall):len(r.recall)], r.gain) {
		fmt.Fprintf(&b, "%.1f\t", 100*share)
	}
	return b.String()
}

// mean returns the mean over the sets, with equal weights.
func mean(rows []figures) figures {
	m := figures{recall: make([]float64, len(rows[0].recall))}
	for _, r := range rows {
		for i, share := range r.recall {
			m.recall[i] += share / float64(len(rows))
		}
		m.gain += r.gain / float64(len(rows))
	}
	return m
}

func brief(d time.Duration) string {
	return fmt.Sprintf("%.3f ms", float64(d)/float64(time.Millisecond))
}

func (r figures) notes() []string {
	var list []string
	note := func(n int, text string) {
		if n > 0 {
			list = append(list, fmt.Sprintf(text, n))
		}
	}
	note(r.duplicates, "%d tools left out, because one before them has the same name")
	note(r.unknown, "%d gold names that no tool has, counted as not found")
	note(r.refused, "%d input schemas refused, so that these tools take anything")
	return list
}
