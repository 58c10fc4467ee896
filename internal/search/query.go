package search

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/spelling"
)

// Limits of a query; what goes beyond is ignored.
const (
	maxQuery      = 4 << 10 // bytes
	maxQueryTerms = 64
	maxTypos      = 16 // words corrected as misspelled; fewer with more than maxCompared/maxTypos words
	maxCompared   = 1 << 20
	maxTypoForms  = 4  // corrections of one misspelled word
	maxPairs      = 32 // pairs for one single character
)

const (
	relatedWeight = 0.7 // of a term with the same root
	synonymWeight = 0.4
	typoWeight    = 0.6
)

// A queryTerm is a word of a query.
type queryTerm struct {
	weight float32 // by the number of occurrences
	forms  []form  // the word itself comes first, if it occurs
}

// A form is a term that matches a word of a query.
type form struct {
	term   uint32
	weight float32
}

// parse parses a query for callers that rank by r. It also returns the effect that the query asks for.
func (ix *Index) parse(query string, r *ranking) ([]queryTerm, Effect) {
	p := parser{ix: ix, r: r, stem: newStemmer(), counts: make(map[string]int)}
	var parts []string
	for q := range pieces(query) {
		switch q.kind {
		case whole:
			p.add(q.word)
		case part:
			parts = append(parts, q.word)
		case joined: // GitHub is also github if that occurs
			if _, ok := p.known(p.stem.stem(q.word)); ok {
				parts = append(parts[:0], q.word)
			}
			for _, w := range parts {
				p.add(w)
			}
			parts = parts[:0]
		}
	}
	return p.terms(), p.wish()
}

type parser struct {
	ix     *Index
	r      *ranking
	stem   stemmer
	words  []string       // distinct, in order
	stems  []string       // of words
	counts map[string]int // by stem
	typos  int            // words corrected as misspelled
}

func (p *parser) add(word string) {
	stem := p.stem.stem(word)
	if p.counts[stem] == 0 {
		if len(p.words) == maxQueryTerms {
			return
		}
		p.words, p.stems = append(p.words, word), append(p.stems, stem)
	}
	p.counts[stem]++
}

// terms replaces stop words by what they imply, or drops them. If nothing else is left, they count as words too.
func (p *parser) terms() []queryTerm {
	all := !slices.ContainsFunc(p.words, func(w string) bool { return !stopWords[w] })
	var terms []queryTerm
	for i, word := range p.words {
		if stopWords[word] {
			if forms := p.implied(word); forms != nil {
				terms = append(terms, queryTerm{impliedWeight, forms})
			}
			if !all {
				continue
			}
		}
		n := float32(p.counts[p.stems[i]])
		terms = append(terms, queryTerm{2 * n / (n + 1), p.forms(word, p.stems[i])})
	}
	return terms
}

// known returns the term of a stem that occurs in a visible text.
func (p *parser) known(stem string) (uint32, bool) {
	t, ok := p.ix.terms[stem]
	return t, ok && p.r.has(t)
}

func (p *parser) implied(word string) []form {
	var forms []form
	for _, w := range implied[word] {
		if t, ok := p.known(p.stem.stem(w)); ok {
			forms = append(forms, form{t, 1})
		}
	}
	return forms
}

func (p *parser) forms(word, stem string) []form {
	var forms []form
	if t, ok := p.known(stem); ok {
		forms = append(forms, form{t, 1})
	}
	for _, t := range p.ix.related(stem) {
		if p.r.has(t) {
			forms = append(forms, form{t, relatedWeight})
		}
	}
	for _, s := range synonyms()[stem] {
		if t, ok := p.known(s); ok {
			forms = append(forms, form{t, synonymWeight})
		}
	}
	if len(forms) == 0 && p.mayCompare() {
		p.typos++
		if r, size := utf8.DecodeRuneInString(word); size == len(word) && classOf(r) == unspaced {
			return p.with(r)
		}
		return p.misspelt(word)
	}
	return forms
}

// mayCompare reports whether one more word is compared with all others.
func (p *parser) mayCompare() bool {
	allowed := func(words int) bool { return p.typos < min(maxTypos, 1+maxCompared/(1+words)) }
	return allowed(len(p.ix.surfaces)) || p.typos < maxTypos && allowed(p.r.vocabulary())
}

// with returns the terms of visible pairs that contain a single character.
func (p *parser) with(r rune) []form {
	var found []*surface
	mask := letters(string(r))
	for i := range p.ix.surfaces {
		s := &p.ix.surfaces[i]
		if s.letters&mask != 0 && strings.ContainsRune(s.word, r) && p.r.sees(uint32(i)) {
			found = append(found, s)
		}
	}
	return likeliest(found, maxPairs)
}

// misspelt returns the terms of the visible words nearest to an unknown word.
func (p *parser) misspelt(word string) []form {
	var found []*surface
	nearest := tolerance(word)
	mask, short := letters(word), utf8.RuneCountInString(word) < 5
	for i := range p.ix.surfaces {
		s := &p.ix.surfaces[i]
		// A typo changes at most two letters.
		if nearest == 0 || bits.OnesCount64(s.letters^mask) > 2*nearest {
			continue
		}
		d := spelling.Distance(word, s.word, nearest)
		// One changed letter of a short word often gives another word, except at its end.
		if d > nearest || short && s.letters != mask && !strings.HasPrefix(s.word, word) || !p.r.sees(uint32(i)) {
			continue
		}
		if d < nearest {
			nearest, found = d, found[:0]
		}
		found = append(found, s)
	}
	return likeliest(found, maxTypoForms)
}

// likeliest returns the terms of the first few surfaces in order of words, because their own order depends on invisible
// texts.
func likeliest(found []*surface, most int) []form {
	slices.SortFunc(found, func(a, b *surface) int { return strings.Compare(a.word, b.word) })
	var forms []form
	for _, s := range found {
		if f := (form{s.term, typoWeight}); !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
		if len(forms) == most {
			break
		}
	}
	return forms
}
