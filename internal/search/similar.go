package search

import (
	"cmp"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/spelling"
)

// Similar returns the candidates that an unknown name most likely means, best first, at most limit. These are the
// candidates within a typo or two. If there are none, they are those with the same words in any order or as synonyms;
// for these only the first 1,000 candidates count.
func Similar(name string, candidates []string, limit int) []string {
	n := newNamed(name)
	if limit <= 0 || n.key == "" {
		return nil
	}
	found := nearest(candidates, n.typos)
	if found == nil {
		n.words = n.split(n.name)
		found = nearest(candidates[:min(len(candidates), maxSplit)], n.otherWords)
	}
	return found[:min(limit, len(found))]
}

const (
	maxName  = 128  // bytes of names that are compared
	maxSplit = 1000 // names that are split into words
)

// nearest returns the names that are near enough, nearest first.
func nearest(names []string, far func(string) (int, bool)) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	for _, name := range names {
		if f, ok := far(name); ok {
			found = append(found, candidate{name, f})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	var list []string
	for _, c := range found {
		list = append(list, c.name)
	}
	return list
}

// named is a name prepared for comparison.
type named struct {
	name    string
	key     string
	letters uint64 // of key
	most    int    // typos
	stem    stemmer
	words   []string // stems
}

func newNamed(name string) *named {
	name = clean.Beginning(name, maxName)
	n := &named{name: name, key: letterKey(name), stem: newStemmer()}
	n.letters = letters(n.key)
	n.most = max(tolerance(n.key), 1)
	if utf8.RuneCountInString(n.key) < 3 {
		n.most = 0
	}
	return n
}

// typos returns the number of typos between the name and a candidate.
func (n *named) typos(candidate string) (int, bool) {
	key := letterKey(clean.Beginning(candidate, maxName))
	if bits.OnesCount64(n.letters^letters(key)) > 2*n.most {
		return 0, false
	}
	d := spelling.Distance(n.key, key, n.most)
	return d, d <= n.most
}

// otherWords returns the difference in the number of words, if all other words match.
func (n *named) otherWords(candidate string) (int, bool) {
	few, many := n.words, n.split(clean.Beginning(candidate, maxName))
	if len(few) > len(many) {
		few, many = many, few
	}
	missing := func(w string) bool {
		return !slices.ContainsFunc(many, func(m string) bool { return alike(w, m) })
	}
	if len(few) == 0 || slices.ContainsFunc(few, missing) {
		return 0, false
	}
	return len(many) - len(few), true
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

// alike reports whether two stems are the same or synonyms.
func alike(a, b string) bool { return a == b || slices.Contains(synonyms()[a], b) }
