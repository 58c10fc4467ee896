package search

import (
	"math"
	"slices"
)

// Search asks rankingFor (rankingcache.go) for the ranking of its caller. The ranking has, for every word of every
// text, what the word adds to the score if a query has it, so that a search only adds up. The words used here:
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

// A ranking holds the weights of an index for callers that see the same texts. Other texts have no influence on it.
type ranking struct {
	visible *Set           // nil is all texts
	count   int            // texts in it
	idf     []float32      // by term; 0 if it occurs in no visible text
	scores  []postingScore // by posting; zero for invisible texts
	seen    *Set           // surfaces that occur in visible texts or shown groups; nil is all
	words   int            // the number of seen surfaces
	// Term t has the group scores groupsOf[t] to groupsOf[t+1].
	groups   []groupScore
	groupsOf []uint32
}

// A postingScore is what a posting adds to its text for a query with the term.
type postingScore struct {
	score    float32
	coverage float32 // the term's share of the text's name, by IDF: the part of the name that the query covers
}

// A groupScore is what a term adds to each visible text of a group, for a query with the term.
type groupScore struct {
	group uint32
	score float32
}

// newRanking returns the ranking for callers that see the visible texts; nil is all. It takes a few passes over the
// postings.
func (ix *Index) newRanking(visible *Set) *ranking {
	r := &ranking{visible: visible, scores: make([]postingScore, len(ix.postings)), idf: make([]float32, len(ix.terms))}
	norms := ix.norms(r)
	nameIDF := ix.weighTerms(r)
	for t, idf := range r.idf {
		for i, p := range ix.postingsFor(t) {
			if !visible.Has(int(p.text)) {
				continue
			}
			tf := frequency(&p, &norms[p.text])
			w := &r.scores[int(ix.postingsOf[t])+i]
			w.score = idf * tf * (k1 + 1) / (tf + k1)
			if p.in[inName] > 0 {
				w.coverage = idf / float32(nameIDF[p.text])
			}
		}
	}
	shown := ix.weighGroups(r)
	ix.markSeen(r, shown)
	return r
}

// fieldNorms is the length of each field of a text relative to the average.
type fieldNorms [numFields]float32

// frequency returns the tf of a posting: its counts by field, weighted and divided by the norms.
func frequency(p *posting, norms *fieldNorms) float32 {
	var tf float32
	for f, n := range p.in {
		if n > 0 {
			tf += fieldWeight[f] * float32(n) / norms[f]
		}
	}
	return tf
}

// norms counts the visible texts, and compares their lengths with the average.
func (ix *Index) norms(r *ranking) []fieldNorms {
	var total [numFields]float64
	for i, t := range ix.texts {
		if r.visible.Has(i) {
			r.count++
			for f, n := range t.lengths {
				total[f] += float64(n)
			}
		}
	}
	norms := make([]fieldNorms, len(ix.texts))
	for i, t := range ix.texts {
		for f, n := range t.lengths {
			norms[i][f] = 1
			// inJoined has no length of its own: it collects the names written like GitHub from all fields.
			if total[f] > 0 && field(f) != inJoined {
				norms[i][f] = 1 - b + b*float32(float64(n)*float64(r.count)/total[f])
			}
		}
	}
	return norms
}

// weighTerms sets the IDF of the terms, and returns the sum of the IDFs in each text's name. It adds in float64, where
// such sums are exact, because the order of terms depends on invisible texts and must not show.
func (ix *Index) weighTerms(r *ranking) (nameIDF []float64) {
	nameIDF = make([]float64, len(ix.texts))
	for t := range r.idf {
		postings := ix.postingsFor(t)
		n := 0
		for _, p := range postings {
			if r.visible.Has(int(p.text)) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		r.idf[t] = idf(r.count, n)
		for _, p := range postings {
			if p.in[inName] > 0 {
				nameIDF[p.text] += float64(r.idf[t])
			}
		}
	}
	return nameIDF
}

// idf returns the weight of a term that occurs in having of total texts. It is positive.
func idf(total, having int) float32 {
	return float32(math.Log1p((float64(total-having) + 0.5) / (float64(having) + 0.5)))
}

// weighGroups sets the scores of terms for groups by BM25, and returns the shown groups. A group is ranked as one text:
// its own and the names of its visible texts. With a single shown group it is ranked by its own alone, because those
// names would add to all its texts and distinguish none.
func (ix *Index) weighGroups(r *ranking) (shown []bool) {
	shown, lengths, count := ix.measureGroups(r)
	groupOf := ix.groupsOfTexts()
	var average float32
	for _, n := range lengths {
		average += n / float32(max(count, 1))
	}
	r.groupsOf = make([]uint32, len(ix.terms)+1)
	var found []groupPosting
	for t := range len(ix.terms) {
		found = found[:0]
		for _, p := range ix.postingsFor(t) {
			n, g := uint32(p.in[inName]), groupOf[p.text]
			if count > 1 && n > 0 && g != noGroup && r.visible.Has(int(p.text)) {
				found = addGroup(found, groupPosting{g, n})
			}
		}
		found = mergeGroups(found, ix.groupPostingsFor(t), shown)
		for _, p := range found {
			tf := float32(p.count)
			tf = tf * (k1 + 1) / (tf + k1*(1-b+b*lengths[p.group]/average))
			r.groups = append(r.groups, groupScore{p.group, groupWeight * idf(count, len(found)) * tf})
		}
		r.groupsOf[t+1] = uint32(len(r.groups))
	}
	return shown
}

// measureGroups returns which groups are shown, their lengths in words, and their number.
func (ix *Index) measureGroups(r *ranking) (shown []bool, lengths []float32, count int) {
	shown, lengths = make([]bool, len(ix.groups)), make([]float32, len(ix.groups))
	for g, group := range ix.groups {
		for i := group.First; i < group.End; i++ {
			if r.visible.Has(i) {
				shown[g] = true
				lengths[g] += float32(ix.texts[i].lengths[inName])
			}
		}
		if shown[g] {
			count++
			for _, n := range group.Text.lengths {
				lengths[g] += float32(n)
			}
		}
	}
	return shown, lengths, count
}

// noGroup is the group of a text without a group.
const noGroup = math.MaxUint32

// groupsOfTexts returns the group of each text.
func (ix *Index) groupsOfTexts() []uint32 {
	groupOf := slices.Repeat([]uint32{noGroup}, len(ix.texts))
	for g, group := range ix.groups {
		for i := group.First; i < group.End; i++ {
			groupOf[i] = uint32(g)
		}
	}
	return groupOf
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

// markSeen marks the surfaces of visible texts and of shown groups. Only they may correct a misspelled word.
func (ix *Index) markSeen(r *ranking, shown []bool) {
	r.words = len(ix.surfaces)
	if r.visible == nil {
		return
	}
	r.seen = NewSet(len(ix.surfaces))
	for i := range len(ix.texts) + len(ix.groups) { // the words of groups follow those of texts
		if i < len(ix.texts) && !r.visible.Has(i) || i >= len(ix.texts) && !shown[i-len(ix.texts)] {
			continue
		}
		for _, s := range ix.words[ix.wordsOf[i]:ix.wordsOf[i+1]] {
			r.seen.Add(int(s))
		}
	}
	r.words = r.seen.Len()
}

// has reports whether a term occurs in a visible text or in a shown group.
func (r *ranking) has(term uint32) bool {
	return r.idf[term] > 0 || r.groupsOf[term] < r.groupsOf[term+1]
}
