package search

import (
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Group is a namespace with its own document: the texts from First up to, but not including, End.
type Group struct {
	Text       *Text // its name and description, as [Read] reads them
	First, End int
}

// An Index finds texts. It is immutable and safe for concurrent use.
type Index struct {
	texts  []*Text
	old    bool // one of them is deprecated
	groups []Group
	names  map[string][]uint32 // texts by their names, in the form of letterKey

	terms    map[string]uint32    // by stem
	derived  map[string][]derived // by root, those that are longer
	surfaces []surface
	// Text i has the surfaces wordsOf[i] to wordsOf[i+1]. The texts of groups follow all others.
	words   []uint32
	wordsOf []uint32
	// Term t has the postings postingsOf[t] to postingsOf[t+1]: texts in order, and the counts in each field.
	postings   []uint32
	counts     []fieldCounts
	postingsOf []uint32
	// The same for the groups' own texts.
	groupPostings   []groupPosting
	groupPostingsOf []uint32
	groupOf         []uint32       // by text, or noGroup
	lengths         []fieldLengths // by text
	// The name of text i has the terms nameTerms[nameTermsOf[i]] to nameTerms[nameTermsOf[i+1]].
	nameTerms   []uint32
	nameTermsOf []uint32

	everything *ranking                         // for callers that see all texts
	rankings   atomic.Pointer[[]*cachedRanking] // for others, in order of use
	pool       sync.Pool                        // of *scratch
}

// A surface is a word as written in texts.
type surface struct {
	word    string
	term    uint32
	letters uint64 // see letters
}

// derived is a term that is longer than its root.
type derived struct {
	stem string
	term uint32
}

// fieldCounts is how often a text has a term in each field.
type fieldCounts [numFields]uint8

// noGroup is the group of a text without a group.
const noGroup = math.MaxUint32

// A groupPosting is the count of a term in a group.
type groupPosting struct{ group, count uint32 }

// Build returns an index of texts. Groups are in the order of their texts and do not overlap. It does not re-read
// texts.
func Build(texts []*Text, groups []Group) *Index {
	ix := &Index{texts: texts, groups: groups, names: make(map[string][]uint32), terms: make(map[string]uint32)}
	for i, t := range texts {
		ix.old = ix.old || t.old
		for _, name := range t.names {
			if list := ix.names[name]; len(list) == 0 || list[len(list)-1] != uint32(i) {
				ix.names[name] = append(list, uint32(i))
			}
		}
	}
	ix.intern()
	ix.derive()
	ix.post()
	ix.postGroups()
	ix.measure()
	ix.everything = ix.newRanking(nil, totalWeights)
	return ix
}

// intern assigns numbers to the words and terms of all texts.
func (ix *Index) intern() {
	known := make(map[string]uint32)
	stem := newStemmer()
	number := func(word string) uint32 {
		i, ok := known[word]
		if !ok {
			s := stem.stem(word)
			term, ok := ix.terms[s]
			if !ok {
				term = uint32(len(ix.terms))
				ix.terms[s] = term
			}
			i = uint32(len(ix.surfaces))
			known[word] = i
			ix.surfaces = append(ix.surfaces, surface{word, term, letters(word)})
		}
		return i
	}
	enter := func(t *Text) {
		ix.wordsOf = append(ix.wordsOf, uint32(len(ix.words)))
		for i := range t.words {
			ix.words = append(ix.words, number(t.word(i)))
		}
	}
	for _, t := range ix.texts {
		enter(t)
	}
	for _, g := range ix.groups {
		enter(g.Text)
	}
	ix.wordsOf = append(ix.wordsOf, uint32(len(ix.words)))
}

// derive collects the terms with the same root, in order of stems: their own order depends on invisible texts.
func (ix *Index) derive() {
	ix.derived = make(map[string][]derived)
	for stem, term := range ix.terms {
		if r := root(stem); r != stem {
			ix.derived[r] = append(ix.derived[r], derived{stem, term})
		}
	}
	for _, list := range ix.derived {
		slices.SortFunc(list, func(a, b derived) int { return strings.Compare(a.stem, b.stem) })
	}
}

// related returns the other terms with the root of a stem.
func (ix *Index) related(stem string) []uint32 {
	var list []uint32
	r := root(stem)
	if t, ok := ix.terms[r]; ok && r != stem {
		list = append(list, t)
	}
	for _, d := range ix.derived[r] {
		if d.stem != stem {
			list = append(list, d.term)
		}
	}
	return list
}

// post makes the postings of each term. Words with the same stem in one text share a posting.
func (ix *Index) post() {
	last := make([]uint32, len(ix.terms)) // last text of a term, plus 1
	ix.postingsOf = make([]uint32, len(ix.terms)+1)
	ix.eachWord(func(text, term uint32, _ *word) {
		if last[term] != text+1 {
			last[term] = text + 1
			ix.postingsOf[term+1]++
		}
	})
	for t := range len(ix.terms) {
		ix.postingsOf[t+1] += ix.postingsOf[t]
	}
	ix.postings = make([]uint32, ix.postingsOf[len(ix.terms)])
	ix.counts = make([]fieldCounts, len(ix.postings))
	next := slices.Clone(ix.postingsOf)
	clear(last)
	ix.eachWord(func(text, term uint32, w *word) {
		if last[term] != text+1 {
			last[term] = text + 1
			ix.postings[next[term]], ix.counts[next[term]] = text, w.in
			next[term]++
			return
		}
		in := &ix.counts[next[term]-1]
		for f, n := range w.in {
			in[f] = uint8(min(int(in[f])+int(n), 255))
		}
	})
}

// eachWord visits the words of all texts in order.
func (ix *Index) eachWord(visit func(text, term uint32, w *word)) {
	for i, t := range ix.texts {
		surfaces := ix.words[ix.wordsOf[i]:]
		for j := range t.words {
			visit(uint32(i), ix.surfaces[surfaces[j]].term, &t.words[j])
		}
	}
}

func (ix *Index) postGroups() {
	lists := make([][]groupPosting, len(ix.terms))
	for g, group := range ix.groups {
		surfaces := ix.words[ix.wordsOf[len(ix.texts)+g]:]
		for j, w := range group.Text.words {
			term := ix.surfaces[surfaces[j]].term
			count := uint32(0)
			for _, n := range w.in {
				count += uint32(n)
			}
			list := lists[term]
			if k := len(list); k > 0 && list[k-1].group == uint32(g) {
				list[k-1].count += count
				continue
			}
			lists[term] = append(list, groupPosting{uint32(g), count})
		}
	}
	ix.groupPostings = slices.Concat(lists...)
	ix.groupPostingsOf = make([]uint32, len(ix.terms)+1)
	for t, list := range lists {
		ix.groupPostingsOf[t+1] = ix.groupPostingsOf[t] + uint32(len(list))
	}
}

// measure notes what rankings count: lengths, groups and the terms of names.
func (ix *Index) measure() {
	ix.groupOf = slices.Repeat([]uint32{noGroup}, len(ix.texts))
	for g, group := range ix.groups {
		for i := group.First; i < group.End; i++ {
			ix.groupOf[i] = uint32(g)
		}
	}
	ix.lengths = make([]fieldLengths, len(ix.texts))
	for i, t := range ix.texts {
		ix.lengths[i] = t.lengths
		ix.nameTermsOf = append(ix.nameTermsOf, uint32(len(ix.nameTerms)))
		surfaces, first := ix.words[ix.wordsOf[i]:], len(ix.nameTerms)
		for j, w := range t.words {
			if term := ix.surfaces[surfaces[j]].term; w.in[inName] > 0 && !slices.Contains(ix.nameTerms[first:], term) {
				ix.nameTerms = append(ix.nameTerms, term)
			}
		}
	}
	ix.nameTermsOf = append(ix.nameTermsOf, uint32(len(ix.nameTerms)))
}

// nameTermsFor returns the distinct terms of a text's name.
func (ix *Index) nameTermsFor(text int) []uint32 {
	return ix.nameTerms[ix.nameTermsOf[text]:ix.nameTermsOf[text+1]]
}

// postingsFor returns the texts of a term.
func (ix *Index) postingsFor(term uint32) []uint32 {
	return ix.postings[ix.postingsOf[term]:ix.postingsOf[term+1]]
}

func (ix *Index) groupPostingsFor(term uint32) []groupPosting {
	return ix.groupPostings[ix.groupPostingsOf[term]:ix.groupPostingsOf[term+1]]
}
