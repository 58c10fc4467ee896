package search

// A Piece is a word as texts and queries are split into, for tests.
type Piece struct {
	Word string
	Kind string // whole, part or joined
}

// Pieces returns the words of a text in order.
func Pieces(text string) []Piece {
	var list []Piece
	for p := range pieces(text) {
		list = append(list, Piece{p.word, [...]string{whole: "whole", part: "part", joined: "joined"}[p.kind]})
	}
	return list
}

// Synonyms returns the stems that a stem has as synonyms.
func Synonyms() map[string][]string { return synonyms() }

// Stem reduces a word.
func Stem(word string) string { return newStemmer().stem(word) }

// Root reduces a stem.
func Root(stem string) string { return root(stem) }

// StopWords returns the words that carry no meaning.
func StopWords() map[string]bool { return stopWords }

// Limits that are part of the documentation.
const (
	MaxQuery      = maxQuery
	MaxQueryTerms = maxQueryTerms
	MaxWord       = maxWord
	MaxWords      = maxWords
	MaxText       = maxText
)
