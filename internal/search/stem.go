package search

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stemmer reduces English words to their stems. Words with characters other than a to z stay as they are. Only one
// goroutine may use it.
type stemmer struct{ env *snowballstem.Env }

func newStemmer() stemmer { return stemmer{snowballstem.NewEnv("")} }

func (s stemmer) stem(word string) string {
	if len(word) < 3 {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	s.env.SetCurrent(word)
	english.Stem(s.env)
	if stem := s.env.Current(); stem != word {
		return stem
	}
	return word // and its memory
}

// root returns a stem without an ending that makes nouns of verbs, which Porter2 keeps in short words: review for
// reviewer, react for reaction, assign for assignee. A root has at least four letters.
func root(stem string) string {
	for _, ending := range []string{"tion", "sion", "or", "er", "ee", "e"} {
		r, ok := strings.CutSuffix(stem, ending)
		if ok && len(ending) == 4 {
			r = stem[:len(r)+1] // the t or s belongs to the verb
		}
		if !ok || len(r) < 4 {
			continue
		}
		n := len(r)
		if doubled := n > 4 && r[n-1] == r[n-2]; doubled && r[n-1] != 's' && r[n-1] != 'l' { // scanner
			r = r[:n-1]
		}
		return r
	}
	return stem
}
