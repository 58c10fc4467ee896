package card

import (
	"sync"
	"unicode/utf8"

	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"
)

// A Counter counts the tokens of texts for a budget. An implementation must be safe for concurrent use, give the same
// number for the same text, and bound its work on a hostile text by most.
type Counter interface {
	// Count returns the number of tokens of text. If the number exceeds most, it may stop early and return any number
	// above most.
	Count(text string, most int) int
}

// CL100K counts exactly in the encoding cl100k_base (section 2.3). Special tokens, such as <|endoftext|>, are ordinary
// text. A byte that is not valid UTF-8 is a character of its own.
//
// The vocabulary is part of the program. It is read at the first use, in some 50 ms; truncating and carding short texts
// do not use it. Count takes time linear in the text, and reads at most 128 × most bytes of it: no token is longer.
func CL100K() Counter { return cl100k{} }

type cl100k struct{}

// load returns the vocabulary. It is read once.
var load = sync.OnceValue(readVocabulary)

// readVocabulary reads the embedded vocabulary.
func readVocabulary() *vocabulary {
	ranks, err := tiktoken_loader.NewOfflineLoader().LoadTiktokenBpe("cl100k_base.tiktoken")
	if err != nil {
		panic("card: reading the vocabulary that is part of the program: " + err.Error())
	}
	return newVocabulary(ranks)
}

func (cl100k) Count(text string, most int) int {
	v := load()
	if over(len(text), most, v.longest) {
		return most + 1
	}
	n := 0
	var room [32]int
	ends := room[:0]
	for i := 0; i < len(text) && n <= most; {
		j := pieceEnd(text, i)
		ends = v.encode(ends[:0], text, i, j)
		n += len(ends)
		i = j
	}
	return n
}

func (cl100k) prefixes(text string, most int) prefixCounter {
	return newPrefixes(load(), text, most)
}

// within reports whether text has at most most tokens. Short texts need no vocabulary: every token has at least one
// byte.
func within(c Counter, text string, most int) bool {
	_, own := c.(cl100k)
	_, theirs := c.(*encoding) // it counts three bytes for one that is not UTF-8
	if len(text) <= most && (own || theirs && utf8.ValidString(text)) {
		return true
	}
	return c.Count(text, most) <= most
}

// over reports whether this many bytes are always more than most tokens.
func over(bytes, most, longest int) bool {
	return most < 0 || (bytes-1)/longest >= most && bytes > 0
}
