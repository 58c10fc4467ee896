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
	limit := max(q.Limit, maxVaried)
	hits := s.hits(q, r, limit)
	hits = addNear(q, hits)
	best := top(hits)
	hits = s.addNames(q, r, hits, best+1)
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < floor*best })
	hits = ix.best(limit, hits)
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

// hits returns what the query finds, in no order: the best limit texts are among them. Similarities need all texts.
func (s *scratch) hits(q Query, r *ranking, limit int) []Hit {
	l := leaders{ix: r.ix, limit: limit}
	if q.Near != nil {
		l.limit = len(r.ix.texts)
	}
	for _, i := range s.touched {
		most := float64(s.base(i, r.ix))
		if s.texts[i].named > 0 {
			most *= 1.01 + coverageWeight // and some more for rounding
		}
		if l.mayAdd(most) {
			l.add(Hit{int(i), s.covered(i, r)})
		}
	}
	for g, score := range s.groups {
		if !l.mayAdd(float64(score)) {
			continue
		}
		for i := r.ix.groups[g].First; i < r.ix.groups[g].End; i++ {
			if s.texts[i].score == 0 && q.Visible.Has(i) {
				l.add(Hit{i, s.covered(uint32(i), r)})
			}
		}
	}
	return l.hits
}

// leaders collects hits. The best limit of them stay, those behind may go.
type leaders struct {
	ix    *Index
	limit int
	hits  []Hit
	last  Hit // of the best limit, when they were last sorted; zero before
}

// mayAdd reports whether a hit with a score may be one of the best.
func (l *leaders) mayAdd(score float64) bool { return score > 0 && score >= l.last.Score }

func (l *leaders) add(h Hit) {
	if l.last.Score > 0 && l.ix.compare(h, l.last) > 0 {
		return
	}
	if l.hits = append(l.hits, h); len(l.hits) == 2*l.limit {
		l.hits = l.ix.best(l.limit, l.hits)
		l.last = l.hits[l.limit-1]
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

// best returns the best hits in order.
func (ix *Index) best(limit int, hits []Hit) []Hit {
	slices.SortFunc(hits, ix.compare)
	return hits[:min(limit, len(hits))]
}

// compare orders hits: by score, those of one score by path.
func (ix *Index) compare(a, b Hit) int {
	if a.Score != b.Score {
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Or(cmp.Compare(ix.texts[a.Text].path, ix.texts[b.Text].path), a.Text-b.Text)
}
