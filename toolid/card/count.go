package card

import (
	"sync"
	"unicode/utf8"

	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"
)

// A Counter counts tokens, and with that decides what fits a budget. An
// implementation must be safe for concurrent use, give the same number for the
// same text, and bound what it spends on a hostile text by most.
type Counter interface {
	// Count returns the number of tokens of text. Once it is sure that there
	// are more than most, it may stop and return any number above most.
	Count(text string, most int) int
}

// CL100K counts in the encoding cl100k_base, exactly (section 2.3). Spellings of
// special tokens, such as <|endoftext|>, are ordinary text to it, and a byte
// that is not valid UTF-8 is a character of its own.
//
// The vocabulary is part of the program and is read at the first use, in some
// 50 ms, which truncating or making cards of short texts is not. What Count takes is linear in the text, of which it reads at most
// 128 × most bytes: no token is longer.
func CL100K() Counter { return cl100k{} }

type cl100k struct{}

// load returns the vocabulary, which it reads once.
var load = sync.OnceValue(readVocabulary)

// readVocabulary reads the vocabulary that is part of the program.
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

// within reports whether text has at most the given number of tokens. Short
// texts are not worth a vocabulary: no token has less than a byte.
func within(c Counter, text string, most int) bool {
	_, own := c.(cl100k)
	_, theirs := c.(*encoding) // which count three bytes where one is not UTF-8
	if len(text) <= most && (own || theirs && utf8.ValidString(text)) {
		return true
	}
	return c.Count(text, most) <= most
}

// over reports whether so many bytes make more than most tokens, whatever they
// are.
func over(bytes, most, longest int) bool {
	return most < 0 || (bytes-1)/longest >= most && bytes > 0
}
