package search

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/spelling"
)

// maxName bounds the names that are compared, in bytes.
const maxName = 128

// Similar returns the candidates that a name which is none of them most likely
// stands for, best first, at most limit: those within a typo or two of it, and
// those of the same words, in any order or in other words.
func Similar(name string, candidates []string, limit int) []string {
	if limit <= 0 {
		return nil
	}
	n := newNamed(name)
	if n.key == "" {
		return nil
	}
	type similar struct {
		name string
		far  int
	}
	var found []similar
	for _, c := range candidates {
		if far, ok := n.far(c); ok {
			found = append(found, similar{c, far})
		}
	}
	slices.SortFunc(found, func(a, b similar) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, s := range found[:min(limit, len(found))] {
		names = append(names, s.name)
	}
	return names
}

// named is a name made ready to be compared with others.
type named struct {
	key     string
	most    int // typos
	letters uint64
	stem    stemmer
	words   []string // stems
}

func newNamed(name string) *named {
	name = clip(name, maxName)
	n := &named{key: letterKey(name), stem: newStemmer()}
	n.letters = letters(n.key)
	n.most = max(tolerance(n.key), 1)
	if utf8.RuneCountInString(n.key) < 3 {
		n.most = 0
	}
	n.words = n.split(name)
	return n
}

func (n *named) split(name string) []string {
	var words []string
	for p := range pieces(name) {
		if p.kind != joined {
			words = append(words, n.stem.stem(p.word))
		}
	}
	return words
}

// far orders candidates: the number of typos, after them 3 for the same words
// and 4 for some words more or less.
func (n *named) far(candidate string) (int, bool) {
	candidate = clip(candidate, maxName)
	key := letterKey(candidate)
	if d := spelling.Distance(n.key, key, n.most); d <= n.most {
		return d, true
	}
	words := n.split(candidate)
	few, many := n.words, words
	if len(few) > len(many) {
		few, many = many, few
	}
	if len(few) == 0 || slices.ContainsFunc(few, func(w string) bool { return !slices.ContainsFunc(many, func(m string) bool { return alike(w, m) }) }) {
		return 0, false
	}
	if len(few) == len(many) {
		return 3, true
	}
	return 4, true
}

// alike reports whether two stems are the same or synonyms.
func alike(a, b string) bool { return a == b || slices.Contains(synonyms()[a], b) }
