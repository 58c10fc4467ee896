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
	terms, wish := ix.parse(q.Text, r)
	s.wish = wish
	for _, t := range terms {
		s.score(t, r)
	}
	hits := s.candidates(q, r)
	hits = addNear(q, hits)
	best := top(hits)
	hits = s.addNames(q, r, hits, best+1)
	hits = ix.best(max(q.Limit, maxVaried), floor*best, hits)
	hits = r.vary(hits, q.Limit, best)
	s.reset()
	ix.pool.Put(s)
	return hits
}

// scratch is the memory of one search. Untouched elements are zero.
type scratch struct {
	texts   []found // by text
	now     []found // by text, of the current query term
	touched []uint32
	nowOf   []uint32  // texts with a value in now
	groups  []float32 // score by group
	wish    Effect
}

// found is what a query finds in a text.
type found struct {
	score float32
	named float32 // the IDF of the words in its name
}

func (ix *Index) newScratch() *scratch {
	if s, ok := ix.pool.Get().(*scratch); ok {
		return s
	}
	n := len(ix.texts)
	return &scratch{texts: make([]found, n), now: make([]found, n), groups: make([]float32, len(ix.groups))}
}

func (s *scratch) reset() {
	for _, i := range s.touched {
		s.texts[i] = found{}
	}
	s.touched = s.touched[:0]
	clear(s.groups)
}

func (s *scratch) add(text uint32, score, named float32) {
	t := &s.texts[text]
	if t.score == 0 {
		s.touched = append(s.touched, text)
	}
	t.score += score
	t.named += named
}

// score adds the weight of a query term: that of its best form.
func (s *scratch) score(t queryTerm, r *ranking) {
	for i, f := range t.forms {
		w, idf := r.weigh(f.term), r.idf(f.term)
		for _, p := range w.texts {
			text, named := p.text&^inTheName, float32(0)
			if p.text != text {
				named = idf
			}
			if len(t.forms) == 1 {
				s.add(text, t.weight*(f.weight*p.score), named)
				continue
			}
			now := &s.now[text]
			if now.score == 0 {
				s.nowOf = append(s.nowOf, text)
			}
			now.score, now.named = max(now.score, f.weight*p.score), max(now.named, named)
		}
		if i > 0 {
			continue
		}
		for _, g := range w.groups {
			s.groups[g.group] += t.weight * f.weight * g.score
		}
	}
	for _, text := range s.nowOf {
		s.add(text, t.weight*s.now[text].score, s.now[text].named)
		s.now[text] = found{}
	}
	s.nowOf = s.nowOf[:0]
}

// base returns the score of a text by its words and its group.
func (s *scratch) base(text uint32, ix *Index) float32 {
	score := s.texts[text].score
	if g := ix.groupOf[text]; g != noGroup {
		score += s.groups[g]
	}
	return score
}

// oldShare is what remains of the score of a deprecated text.
const oldShare = 0.8

// covered returns base, more for a covered name, less for another effect than the query asks for, and if deprecated.
func (s *scratch) covered(text uint32, r *ranking) float64 {
	score := s.base(text, r.ix)
	if named := s.texts[text].named; named > 0 {
		score *= 1 + coverageWeight*min(named/r.nameIDF(text), 1)
	}
	if e := r.ix.texts[text].effect; s.wish != Unknown && e != Unknown && e != s.wish {
		score *= otherEffect
	}
	if r.ix.texts[text].old {
		score *= oldShare
	}
	return float64(score)
}

// candidates returns the texts that may be among the best, with their scores. Only a query with similarities needs all
// texts.
func (s *scratch) candidates(q Query, r *ranking) []Hit {
	c := candidates{limit: max(q.Limit, maxVaried), all: q.Near != nil}
	c.spread = 1.01 + coverageWeight // more than rounding may change
	if s.wish != Unknown {
		c.spread /= otherEffect
	}
	if r.ix.old {
		c.spread /= oldShare
	}
	for _, i := range s.touched {
		c.add(i, s.base(i, r.ix))
	}
	for g, score := range s.groups {
		if !c.mayAdd(score) {
			continue
		}
		for i := r.ix.groups[g].First; i < r.ix.groups[g].End; i++ {
			if s.texts[i].score == 0 && q.Visible.Has(i) {
				c.add(uint32(i), score)
			}
		}
	}
	c.cut()
	for i := range c.hits {
		c.hits[i].Score = s.covered(uint32(c.hits[i].Text), r)
	}
	return c.hits
}

// candidates collects the texts that may be among the best: how much of their names is covered, their effects, and
// whether they are deprecated do not count yet.
type candidates struct {
	hits   []Hit
	limit  int
	all    bool
	spread float64 // how much more one score may still gain than another
	least  float32 // of a score
	next   int     // cut at this number of hits
}

func (c *candidates) mayAdd(score float32) bool { return score > 0 && (c.all || score >= c.least) }

func (c *candidates) add(text uint32, score float32) {
	if !c.mayAdd(score) {
		return
	}
	c.hits = append(c.hits, Hit{int(text), float64(score)})
	if len(c.hits) >= max(c.next, c.limit+sortEvery) {
		c.cut()
		c.next = 2 * len(c.hits)
	}
}

// cut drops the hits that stay behind limit others even if they gain all they can.
func (c *candidates) cut() {
	if c.all || len(c.hits) <= c.limit {
		return
	}
	slices.SortFunc(c.hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	c.least = float32(c.hits[c.limit-1].Score / c.spread)
	if i := slices.IndexFunc(c.hits, func(h Hit) bool { return !c.mayAdd(float32(h.Score)) }); i > 0 {
		c.hits = c.hits[:i]
	}
}

func top(hits []Hit) float64 {
	top := 0.0
	for _, h := range hits {
		top = max(top, h.Score)
	}
	return top
}

// addNear scales word scores to at most 1, and adds similarity.
func addNear(q Query, hits []Hit) []Hit {
	known := false // vectors of invisible texts must not show
	for i, near := range q.Near {
		known = known || near != 0 && q.Visible.Has(i)
	}
	if !known {
		return hits
	}
	scores := make([]float64, len(q.Near))
	top := top(hits)
	for _, h := range hits {
		scores[h.Text] = h.Score / top
	}
	hits = hits[:0]
	for i, near := range q.Near {
		if q.Visible.Has(i) && (near >= minNear || near > 0 && scores[i] > 0) {
			scores[i] += nearWeight * float64(near)
		}
		if scores[i] > 0 {
			hits = append(hits, Hit{i, scores[i]})
		}
	}
	return hits
}

// addNames puts texts whose whole name is the query first, by adding more than any score.
func (s *scratch) addNames(q Query, r *ranking, hits []Hit, more float64) []Hit {
	texts := r.ix.names[letterKey(q.Text)]
	if len(texts) == 0 {
		return hits
	}
	at := make(map[int]int)
	for i, h := range hits {
		at[h.Text] = i
	}
	path := pathKey(q.Text)
	for _, text := range texts {
		if !q.Visible.Has(int(text)) {
			continue
		}
		i, ok := at[int(text)]
		if !ok {
			i, hits = len(hits), append(hits, Hit{int(text), s.covered(text, r)})
		}
		hits[i].Score += more
		if pathKey(r.ix.texts[text].path) == path {
			hits[i].Score += 2 * more
		}
	}
	return hits
}

// best returns the best hits that reach the floor.
func (ix *Index) best(limit int, floor float64, hits []Hit) []Hit {
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < floor })
	slices.SortFunc(hits, func(a, b Hit) int {
		s, t := ix.texts[a.Text], ix.texts[b.Text]
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(s.path, t.path), a.Text-b.Text)
	})
	return hits[:min(limit, len(hits))]
}

// sortEvery is the least number of candidates beyond the limit at which they are cut.
const sortEvery = 256
