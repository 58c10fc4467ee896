package search

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Search asks rankingFor (rankingcache.go) for the ranking of its caller. The ranking has, for each term that a query
// had, what the term adds to the score of each text, so that a search only adds up. The words used here:
//
//	text      the document of one tool; it is named by its number in the index
//	field     a part of a text: name, alias, namespace, description, parameters (text.go)
//	surface   a word as written in a text: orders
//	term      the stem of surfaces: order, for orders and ordering; it is named by its number in the index
//	posting   a term in a text, with its count in each field (index.go)
//	group     a namespace with a text of its own, and the texts in it
//	visible   the texts that the caller sees
//	shown     the groups with visible texts
//	IDF       inverse document frequency: the weight of a term, more the fewer texts have it
//	tf        term frequency: the count of a term in a text, weighted by field
//	norm      the length of a field relative to its average; a term counts less in a long field
//	BM25F     the usual ranking by the sum of IDF * tf * (k1+1) / (tf+k1) over the terms of the query

// The weights of BM25F and of the additions to it.
const (
	k1 = 1.2  // how much a repeated term adds
	b  = 0.75 // how much the norm counts, from 0 to 1

	coverageWeight = 0.7 // of the share of a name that the query covers
	groupWeight    = 0.3 // of the score of the namespace's own text
)

// A ranking holds the weights of an index for callers that see the same texts. Other texts have no influence on it. A
// new ranking has counted the visible texts; it weighs a term when a query first has it. It is safe for concurrent use.
type ranking struct {
	ix      *Index
	visible *Set // nil is all texts
	count   int  // texts in it
	// The norm of a field with n words is base + n*slope.
	base, slope [numFields]float32

	shown        []bool    // by group
	groupLengths []float32 // in words; 0 if not shown
	groupCount   int       // shown ones
	groupAverage float32   // length

	idfs     []atomic.Uint32 // by term: the bits of its IDF, -1 if no visible text has it; 0 if not known yet
	weights  sync.Map        // by term: *weights
	kept     atomic.Int64    // the size of weights
	most     int64           // of kept
	seenOnce sync.Once
	seen     int // the number of visible surfaces
}

// weights is what a term adds to texts and groups for a query with it.
type weights struct {
	texts  []textWeight // visible ones, in order
	groups []groupScore // shown ones, in order
}

// A textWeight is what a term adds to a text.
type textWeight struct {
	text  uint32 // with the bit inTheName if the term is in the text's name
	score float32
}

const inTheName = 1 << 31

// A groupScore is what a term adds to each visible text of a group.
type groupScore struct {
	group uint32
	score float32
}

// newRanking returns the ranking for callers that see the visible texts; nil is all. It takes one pass over the texts.
// Of the weights of terms, some most are kept.
func (ix *Index) newRanking(visible *Set, most int) *ranking {
	r := &ranking{
		ix: ix, visible: visible, most: int64(most), idfs: make([]atomic.Uint32, len(ix.terms)),
		shown: make([]bool, len(ix.groups)), groupLengths: make([]float32, len(ix.groups)),
	}
	var total [numFields]uint64
	for i := range ix.lengths {
		if !visible.Has(i) {
			continue
		}
		r.count++
		for f, n := range ix.lengths[i] {
			total[f] += uint64(n)
		}
		if g := ix.groupOf[i]; g != noGroup {
			r.shown[g] = true
			r.groupLengths[g] += float32(ix.lengths[i][inName])
		}
	}
	for f, n := range total {
		r.base[f] = 1
		// inJoined has no length of its own: it collects the names written like GitHub from all fields.
		if n > 0 && field(f) != inJoined {
			r.base[f], r.slope[f] = 1-b, float32(b*float64(r.count)/float64(n))
		}
	}
	r.measureGroups()
	return r
}

// measureGroups adds the lengths of the shown groups' own texts, and returns the average.
func (r *ranking) measureGroups() {
	for g, shown := range r.shown {
		if !shown {
			continue
		}
		r.groupCount++
		for _, n := range r.ix.groups[g].Text.lengths {
			r.groupLengths[g] += float32(n)
		}
	}
	for _, n := range r.groupLengths {
		r.groupAverage += n / float32(max(r.groupCount, 1))
	}
}

// idf returns the IDF of a term. It is above zero if a visible text has the term.
func (r *ranking) idf(term uint32) float32 {
	if bits := r.idfs[term].Load(); bits != 0 {
		return math.Float32frombits(bits)
	}
	n := r.visible.count(r.ix.postingsFor(term))
	weight := float32(-1)
	if n > 0 {
		weight = idf(r.count, n)
	}
	r.idfs[term].Store(math.Float32bits(weight))
	return weight
}

// idf returns the weight of a term that occurs in having of total texts. It is positive.
func idf(total, having int) float32 {
	return float32(math.Log1p((float64(total-having) + 0.5) / (float64(having) + 0.5)))
}

// has reports whether a term occurs in a visible text or in the own text of a shown group.
func (r *ranking) has(term uint32) bool {
	return r.idf(term) > 0 ||
		slices.ContainsFunc(r.ix.groupPostingsFor(term), func(p groupPosting) bool { return r.shown[p.group] })
}

// nameIDF returns the sum of the IDFs of a name's terms. It adds in float64, where such sums are exact, since the order
// of terms must not show.
func (r *ranking) nameIDF(text uint32) float32 {
	sum := 0.0
	for _, term := range r.ix.nameTermsFor(int(text)) {
		sum += float64(r.idf(term))
	}
	return float32(sum)
}

// weigh returns the weights of a term.
func (r *ranking) weigh(term uint32) *weights {
	if w, ok := r.weights.Load(term); ok {
		return w.(*weights)
	}
	w := r.newWeights(term)
	if r.kept.Add(int64(len(w.texts)+len(w.groups)+termWeights)) > r.most {
		r.weights.Clear()
		r.kept.Store(0)
	}
	r.weights.Store(term, w)
	return w
}

func (r *ranking) newWeights(term uint32) *weights {
	first, postings, idf := int(r.ix.postingsOf[term]), r.ix.postingsFor(term), r.idf(term)
	w := &weights{texts: make([]textWeight, 0, r.visible.count(postings))}
	var groups []groupPosting
	for i, text := range postings {
		if !r.visible.Has(int(text)) {
			continue
		}
		in := &r.ix.counts[first+i]
		tf := r.frequency(in, &r.ix.lengths[text])
		weight := textWeight{text, idf * tf * (k1 + 1) / (tf + k1)}
		if n := in[inName]; n > 0 {
			weight.text |= inTheName
			if g := r.ix.groupOf[text]; g != noGroup {
				groups = addGroup(groups, groupPosting{g, uint32(n)})
			}
		}
		w.texts = append(w.texts, weight)
	}
	w.groups = r.weighGroups(term, groups)
	return w
}

// frequency returns the tf of a posting.
func (r *ranking) frequency(in *fieldCounts, lengths *fieldLengths) float32 {
	var tf float32
	for f, n := range in {
		if n > 0 {
			tf += fieldWeight[f] * float32(n) / (r.base[f] + r.slope[f]*float32(lengths[f]))
		}
	}
	return tf
}

// weighGroups returns the scores of a term for groups by BM25. A group is ranked as one text: its own and the names of
// its visible texts. With a single shown group it is ranked by its own alone, because those names would add to all its
// texts and distinguish none.
func (r *ranking) weighGroups(term uint32, names []groupPosting) []groupScore {
	if r.groupCount == 1 {
		names = nil
	}
	found := mergeGroups(names, r.ix.groupPostingsFor(term), r.shown)
	var list []groupScore
	for _, p := range found {
		tf := float32(p.count)
		tf = tf * (k1 + 1) / (tf + k1*(1-b+b*r.groupLengths[p.group]/r.groupAverage))
		list = append(list, groupScore{p.group, groupWeight * idf(r.groupCount, len(found)) * tf})
	}
	return list
}

// addGroup adds p to the last entry of a list sorted by group, or appends it.
func addGroup(list []groupPosting, p groupPosting) []groupPosting {
	if k := len(list); k > 0 && list[k-1].group == p.group {
		list[k-1].count += p.count
		return list
	}
	return append(list, p)
}

// mergeGroups adds the postings of shown groups in own to list. Both are sorted by group.
func mergeGroups(list, own []groupPosting, shown []bool) []groupPosting {
	if len(own) == 0 {
		return list
	}
	for _, p := range own {
		if shown[p.group] {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b groupPosting) int { return int(a.group) - int(b.group) })
	merged := list[:0]
	for _, p := range list {
		merged = addGroup(merged, p)
	}
	return merged
}

// sees reports whether a visible text or the own text of a shown group has a surface. Only such a surface may correct
// a misspelled word.
func (r *ranking) sees(surface uint32) bool {
	ix := r.ix
	has := func(text uint32) bool {
		return slices.Contains(ix.words[ix.wordsOf[text]:ix.wordsOf[text+1]], surface)
	}
	term := ix.surfaces[surface].term
	return r.visible == nil && r.has(term) ||
		slices.ContainsFunc(ix.postingsFor(term), func(text uint32) bool { return r.visible.Has(int(text)) && has(text) }) ||
		slices.ContainsFunc(ix.groupPostingsFor(term), func(p groupPosting) bool {
			return r.shown[p.group] && has(uint32(len(ix.texts))+p.group) // the words of groups follow those of texts
		})
}

// vocabulary returns the number of visible surfaces.
func (r *ranking) vocabulary() int {
	r.seenOnce.Do(func() {
		ix := r.ix
		seen := NewSet(len(ix.surfaces))
		for i := range len(ix.texts) + len(ix.groups) {
			if i < len(ix.texts) && !r.visible.Has(i) || i >= len(ix.texts) && !r.shown[i-len(ix.texts)] {
				continue
			}
			for _, s := range ix.words[ix.wordsOf[i]:ix.wordsOf[i+1]] {
				seen.Add(int(s))
			}
		}
		r.seen = seen.Len()
	})
	return r.seen
}
