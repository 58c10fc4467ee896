package main

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"
)

// figures are one row of the table.
type figures struct {
	set                          string
	tools, queries               int
	recall                       []float64 // by cutoff, from 0 to 1
	gain                         float64   // from 0 to 1
	build, p50, p99              time.Duration
	heap                         int64 // bytes
	duplicates, unknown, refused int   // tools left out, gold names without a tool, schemas
}

// cutoffs returns the cutoffs of recall for k requested matches, in order. The last one is k.
func cutoffs(k int) []int {
	list := []int{1, 5, 10}
	i, _ := slices.BinarySearch(list, k)
	return append(list[:i], k)
}

// measure registers the tools of a set and runs its queries.
func measure(s *set, k int) (figures, error) {
	c, err := newCatalog(s.tools)
	if err != nil {
		return figures{}, err
	}
	row := figures{
		set: s.name, tools: len(s.tools), queries: len(s.queries),
		recall: make([]float64, len(cutoffs(k))), duplicates: s.duplicates, refused: c.refused,
	}
	ctx := context.Background()
	before := heap()
	start := time.Now()
	c.reg.Search(ctx, s.queries[0].Query, k)
	row.build = time.Since(start)
	row.heap = heap() - before

	known := make(map[string]bool, len(s.tools))
	for _, t := range s.tools {
		known[t.Name] = true
	}
	times := make([]time.Duration, 0, len(s.queries))
	for _, q := range s.queries {
		start := time.Now()
		matches := c.reg.Search(ctx, q.Query, k)
		times = append(times, time.Since(start))
		found, gold := c.names(matches), distinct(q.Gold)
		for i, cut := range cutoffs(k) {
			row.recall[i] += recall(found, gold, cut) / float64(len(s.queries))
		}
		row.gain += gain(found, gold, k) / float64(len(s.queries))
		for name := range gold {
			if !known[name] {
				row.unknown++
			}
		}
	}
	slices.Sort(times)
	row.p50, row.p99 = quantile(times, 0.5), quantile(times, 0.99)
	return row, nil
}

// heap returns the bytes in use. It collects twice, because pools survive the first collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func distinct(names []string) map[string]bool {
	list := make(map[string]bool, len(names))
	for _, n := range names {
		list[n] = true
	}
	return list
}

// recall returns the share of gold among the first k found.
func recall(found []string, gold map[string]bool, k int) float64 {
	hits := 0
	for _, name := range found[:min(k, len(found))] {
		if gold[name] {
			hits++
		}
	}
	return float64(hits) / float64(len(gold))
}

// gain returns the normalised discounted cumulative gain of the first k found. All gold tools have the same weight.
func gain(found []string, gold map[string]bool, k int) float64 {
	var got, best float64
	for i, name := range found[:min(k, len(found))] {
		if gold[name] {
			got += 1 / math.Log2(float64(i+2))
		}
	}
	for i := range min(k, len(gold)) {
		best += 1 / math.Log2(float64(i+2))
	}
	return got / best
}

// quantile returns the quantile q of the sorted times (nearest rank).
func quantile(sorted []time.Duration, q float64) time.Duration {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}
