package search

import (
	"cmp"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A Query is a search by one caller.
type Query struct {
	Text    string
	Limit   int  // at most so many hits
	Visible *Set // the texts that the caller sees; nil is all
	// Near is the semantic similarity of each text, from -1 to 1: the cosine of two vectors. Nil is unknown.
	Near []float32
}

// A Hit is a found text.
type Hit struct {
	Text  int // index
	Score float64
}

const (
	// floor is the least score of a hit, as a share of the best score. Whole names are exempt.
	floor = 0.05
	// nearWeight is the weight of similarity, beside a word score of at most 1.
	nearWeight = 0.3
	// minNear is the least similarity of a text that is found by similarity alone.
	minNear = 0.5
)

// Search returns the matching texts, best first. It is deterministic; equal scores are sorted by path.
func (ix *Index) Search(q Query) []Hit {
	if q.Limit <= 0 || len(ix.texts) == 0 {
		return nil
	}
	q.Text = clean.Beginning(q.Text, maxQuery)
	r := ix.rankingFor(q.Visible)
	s := ix.newScratch()
	for _, t := range ix.parse(q.Text, r) {
		ix.score(t, r, s)
	}
	ix.scoreGroups(q.Visible, s)
	for _, i := range s.touched {
		s.score[i] *= 1 + coverageWeight*min(s.coverage[i], 1)
	}
	s.addNear(q)
	least := floor * s.top()
	ix.addNames(q, s)
	hits := ix.best(q.Limit, least, s)
	ix.pool.Put(s)
	return hits
}

// scratch is the memory of one search, with one element per text. Untouched elements are zero.
type scratch struct {
	score    []float32
	coverage []float32      // of the name
	now      []postingScore // of the current query term
	touched  []uint32
	nowOf    []uint32 // texts with a value in now
	groups   []float32
}

func (ix *Index) newScratch() *scratch {
	if s, ok := ix.pool.Get().(*scratch); ok {
		return s
	}
	n := len(ix.texts)
	return &scratch{
		score: make([]float32, n), coverage: make([]float32, n), now: make([]postingScore, n), groups: make([]float32, len(ix.groups)),
	}
}

func (s *scratch) add(text uint32, score float32) {
	if s.score[text] == 0 {
		s.touched = append(s.touched, text)
	}
	s.score[text] += score
}

// score adds the weight of a query term: that of its best form.
func (ix *Index) score(t queryTerm, r *ranking, s *scratch) {
	for i, f := range t.forms {
		start := ix.postingsOf[f.term]
		for j, p := range ix.postings[start:ix.postingsOf[f.term+1]] {
			w := r.scores[int(start)+j]
			if w.score == 0 {
				continue
			}
			now := &s.now[p.text]
			if now.score == 0 {
				s.nowOf = append(s.nowOf, p.text)
			}
			now.score = max(now.score, f.weight*w.score)
			now.coverage = max(now.coverage, w.coverage)
		}
		if i > 0 {
			continue
		}
		for _, g := range r.groups[r.groupsOf[f.term]:r.groupsOf[f.term+1]] {
			s.groups[g.group] += t.weight * f.weight * g.score
		}
	}
	for _, text := range s.nowOf {
		s.add(text, t.weight*s.now[text].score)
		s.coverage[text] += s.now[text].coverage
		s.now[text] = postingScore{}
	}
	s.nowOf = s.nowOf[:0]
}

// scoreGroups adds the score of its group to each text.
func (ix *Index) scoreGroups(visible *Set, s *scratch) {
	for g, score := range s.groups {
		if score == 0 {
			continue
		}
		s.groups[g] = 0
		for i := ix.groups[g].First; i < ix.groups[g].End; i++ {
			if visible.Has(i) {
				s.add(uint32(i), score)
			}
		}
	}
}

func (s *scratch) top() float32 {
	var top float32
	for _, i := range s.touched {
		top = max(top, s.score[i])
	}
	return top
}

// addNear scales word scores to at most 1, and adds similarity.
func (s *scratch) addNear(q Query) {
	known := false // vectors of invisible texts must not show
	for i, near := range q.Near {
		known = known || near != 0 && q.Visible.Has(i)
	}
	if !known {
		return
	}
	if top := s.top(); top > 0 {
		for _, i := range s.touched {
			s.score[i] /= top
		}
	}
	for i, near := range q.Near {
		if q.Visible.Has(i) && (near >= minNear || near > 0 && s.score[i] > 0) {
			s.add(uint32(i), nearWeight*near)
		}
	}
}

// addNames puts texts whose whole name is the query first.
func (ix *Index) addNames(q Query, s *scratch) {
	texts := ix.names[letterKey(q.Text)]
	if len(texts) == 0 {
		return
	}
	step := s.top() + 1
	path := pathKey(q.Text)
	for _, i := range texts {
		if !q.Visible.Has(int(i)) {
			continue
		}
		s.add(i, step)
		if pathKey(ix.texts[i].path) == path {
			s.add(i, 2*step)
		}
	}
}

// best returns the best touched texts that reach the floor. It resets s to zero.
func (ix *Index) best(limit int, floor float32, s *scratch) []Hit {
	least := float64(floor)
	compare := func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(ix.texts[a.Text].path, ix.texts[b.Text].path), a.Text-b.Text)
	}
	var hits []Hit
	for _, i := range s.touched {
		h := Hit{int(i), float64(s.score[i])}
		s.score[i], s.coverage[i] = 0, 0
		if h.Score < least {
			continue
		}
		hits = append(hits, h)
		if len(hits) == limit+sortEvery { // keep only possible winners
			slices.SortFunc(hits, compare)
			hits = hits[:limit]
			least = hits[limit-1].Score
		}
	}
	s.touched = s.touched[:0]
	slices.SortFunc(hits, compare)
	return hits[:min(limit, len(hits))]
}

// sortEvery is the number of hits beyond the limit that are collected before the list is sorted and cut.
const sortEvery = 256
