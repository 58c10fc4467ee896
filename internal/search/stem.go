package search

import (
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
