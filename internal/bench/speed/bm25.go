package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// bm25 is the textbook: one field with all words in lower case, k1 1.2, b 0.75, nothing else.
type bm25 struct {
	postings map[string][]posting
	lengths  []float64
	average  float64
}

type posting struct {
	doc   int
	count float64
}

type hit struct {
	doc   int
	score float64
}

func newBM25(tools []madeTool) *bm25 {
	x := &bm25{postings: make(map[string][]posting), lengths: make([]float64, len(tools))}
	for doc, t := range tools {
		counts := make(map[string]float64)
		for _, w := range tokens(t.space + " " + t.name + " " + t.description + " " + string(t.schema)) {
			counts[w]++
			x.lengths[doc]++
		}
		for w, n := range counts {
			x.postings[w] = append(x.postings[w], posting{doc, n})
		}
		x.average += x.lengths[doc] / float64(len(tools))
	}
	return x
}

// search returns the best documents.
func (x *bm25) search(query string, limit int) []hit {
	const k1, b = 1.2, 0.75
	scores := make(map[int]float64)
	for _, w := range tokens(query) {
		list := x.postings[w]
		idf := math.Log(1 + (float64(len(x.lengths)-len(list))+0.5)/(float64(len(list))+0.5))
		for _, p := range list {
			scores[p.doc] += idf * p.count * (k1 + 1) / (p.count + k1*(1-b+b*x.lengths[p.doc]/x.average))
		}
	}
	hits := make([]hit, 0, len(scores))
	for doc, score := range scores {
		hits = append(hits, hit{doc, score})
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc)) })
	return hits[:min(len(hits), limit)]
}

// tokens returns runs of letters and digits, in lower case.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
