package search

import (
	"math"
	"slices"
)

// Catalogs have families of tools, such as the same operation for users, teams and organizations. They match a query
// alike and fill the first places. Among hits of nearly the same score, those with new names come first: maximal marginal
// relevance.
const (
	variedWeight = 0.1 // the share of its score that a hit loses behind another of the same name
	maxVaried    = 50  // hits that may change places
)

// A varied is a hit that may change its place.
type varied struct {
	Hit
	place int     // before
	alike float64 // with the most similar better hit
}

func (v *varied) score() float64 { return v.Score * (1 - variedWeight*v.alike) }

// vary returns at most limit hits, best first, where a hit counts less if its name has words of a better one. The
// scores of those that fall behind are lowered as little as the order needs. Hits above a score stay first: their whole
// name is the query.
func (r *ranking) vary(hits []Hit, limit int, above float64) []Hit {
	few := make([]varied, min(maxVaried, len(hits)))
	for i := range few {
		few[i] = varied{Hit: hits[i], place: i}
	}
	for i := range few[:min(limit, len(few))] {
		best := i
		for j := i + 1; j < len(few); j++ {
			if few[j].score() > few[best].score() {
				best = j
			}
		}
		hit := few[best]
		copy(few[i+1:best+1], few[i:best])
		few[i] = hit
		for j := i + 1; j < len(few); j++ {
			if few[j].Score > above {
				continue
			}
			few[j].alike = max(few[j].alike, r.alike(hit.Text, few[j].Text))
		}
	}
	for i := range few {
		hits[i] = few[i].Hit
	}
	hits = hits[:min(limit, len(hits))]
	for i := 1; i < len(hits); i++ {
		moved := i < len(few) && few[i].place < few[i-1].place
		if last := hits[i-1].Score; hits[i].Score > last || hits[i].Score == last && moved {
			hits[i].Score = math.Nextafter(last, 0)
		}
	}
	return hits
}

// alike returns the share of the terms of two names that both have, by IDF.
func (r *ranking) alike(a, b int) float64 {
	var both, all float64
	for _, t := range r.ix.nameTermsFor(a) {
		idf := float64(r.idf(t))
		all += idf
		if slices.Contains(r.ix.nameTermsFor(b), t) {
			both += idf
		}
	}
	for _, t := range r.ix.nameTermsFor(b) {
		if !slices.Contains(r.ix.nameTermsFor(a), t) {
			all += float64(r.idf(t))
		}
	}
	if all == 0 {
		return 0
	}
	return both / all
}
