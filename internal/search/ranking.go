package search

import (
	"math"
	"slices"
)

// The weights of BM25F and of the additions to it.
const (
	k1 = 1.2
	b  = 0.75

	coverageWeight = 0.7 // of the share of a name that the query covers
	groupWeight    = 0.3 // of the score of the namespace's own text
)

// A ranking holds the weights of an index for callers that see the same texts. Other texts have no influence on it.
type ranking struct {
	visible *Set      // nil is all texts
	count   int       // texts in it
	idf     []float32 // by term; 0 if it occurs in no visible text
	worth   []worth   // by posting; zero for invisible texts
	seen    *Set      // surfaces that occur in visible texts; nil is all
	words   int       // the number of seen surfaces
	// Term t has the group weights groupsOf[t] to groupsOf[t+1].
	groups   []groupWorth
	groupsOf []uint32
}

// worth is the score that a posting adds to its text for a query with the term.
type worth struct {
	score    float32
	coverage float32 // share of the text's name that the term is
}

type groupWorth struct {
	group uint32
	score float32
}

// newRanking takes a few passes over the postings.
func (ix *Index) newRanking(visible *Set) *ranking {
	r := &ranking{visible: visible, worth: make([]worth, len(ix.postings)), idf: make([]float32, len(ix.terms))}
	norms := ix.norms(r)
	names := ix.weighTerms(r)
	for t, idf := range r.idf {
		for i, p := range ix.postingsFor(t) {
			if !visible.Has(int(p.text)) {
				continue
			}
			tf := frequency(&p, &norms[p.text])
			w := &r.worth[int(ix.postingsOf[t])+i]
			w.score = idf * tf * (k1 + 1) / (tf + k1)
			if p.in[inName] > 0 {
				w.coverage = idf / float32(names[p.text])
			}
		}
	}
	shown := ix.weighGroups(r)
	ix.markSeen(r, shown)
	return r
}

// fieldNorms is the length of each field of a text relative to the average.
type fieldNorms [numFields]float32

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
			if total[f] > 0 && field(f) != inJoined {
				norms[i][f] = 1 - b + b*float32(float64(n)*float64(r.count)/total[f])
			}
		}
	}
	return norms
}

// weighTerms sets the IDF of the terms, and returns the sum of the IDFs in each text's name. It adds in float64, where
// such sums are exact, because the order of terms depends on invisible texts and must not show.
func (ix *Index) weighTerms(r *ranking) (names []float64) {
	names = make([]float64, len(ix.texts))
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
				names[p.text] += float64(r.idf[t])
			}
		}
	}
	return names
}

// idf returns the weight of a term that occurs in having of total texts. It is positive.
func idf(total, having int) float32 {
	return float32(math.Log1p((float64(total-having) + 0.5) / (float64(having) + 0.5)))
}

// weighGroups sets the weights of terms for groups, and returns the groups with visible texts. The text of a group is
// its own and the names of its visible texts.
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
			if count > 1 && n > 0 && g != noGroup && r.visible.Has(int(p.text)) { // the name of one text adds nothing
				found = addGroup(found, groupPosting{g, n})
			}
		}
		found = mergeGroups(found, ix.groupPostingsFor(t), shown)
		for _, p := range found {
			tf := float32(p.count)
			tf = tf * (k1 + 1) / (tf + k1*(1-b+b*lengths[p.group]/average))
			r.groups = append(r.groups, groupWorth{p.group, groupWeight * idf(count, len(found)) * tf})
		}
		r.groupsOf[t+1] = uint32(len(r.groups))
	}
	return shown
}

// measureGroups returns which groups have visible texts, their lengths in words, and their number.
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

func (ix *Index) groupsOfTexts() []uint32 {
	groupOf := slices.Repeat([]uint32{noGroup}, len(ix.texts))
	for g, group := range ix.groups {
		for i := group.First; i < group.End; i++ {
			groupOf[i] = uint32(g)
		}
	}
	return groupOf
}

// addGroup adds p to the last entry of a sorted list, or appends it.
func addGroup(list []groupPosting, p groupPosting) []groupPosting {
	if k := len(list); k > 0 && list[k-1].group == p.group {
		list[k-1].count += p.count
		return list
	}
	return append(list, p)
}

// mergeGroups adds the visible groups of own to list.
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

// markSeen marks the surfaces of visible texts and of their groups.
func (ix *Index) markSeen(r *ranking, shown []bool) {
	r.words = len(ix.surfaces)
	if r.visible == nil {
		return
	}
	r.seen = NewSet(len(ix.surfaces))
	for i := range len(ix.texts) + len(ix.groups) {
		if i < len(ix.texts) && !r.visible.Has(i) || i >= len(ix.texts) && !shown[i-len(ix.texts)] {
			continue
		}
		for _, s := range ix.words[ix.wordsOf[i]:ix.wordsOf[i+1]] {
			r.seen.Add(int(s))
		}
	}
	r.words = r.seen.Len()
}

// has reports whether a term occurs in a visible text.
func (r *ranking) has(term uint32) bool {
	return r.idf[term] > 0 || r.groupsOf[term] < r.groupsOf[term+1]
}
