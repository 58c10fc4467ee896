package card

import (
	"fmt"
	"sort"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pkoukk/tiktoken-go"
	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"
)

// Encoding returns the counter of an encoding of tiktoken-go, for models that do
// not count in cl100k_base: o200k_base, p50k_base, p50k_edit or r50k_base. The
// name cl100k_base stands for [CL100K].
//
// The vocabulary is part of the program. It is read at the first count: that of
// o200k_base takes 300 ms and 23 MB. Special tokens and short texts are treated as
// CL100K does; a byte that is not valid UTF-8 counts as U+FFFD.
//
// tiktoken-go takes time quadratic in the length of a run without a break, so it
// is given at most 512 bytes at a time: Count is linear, and reads little more
// than 512 × most bytes. The number is exact unless one word, number, row of signs or
// stretch of white space is longer than that. Each 512 bytes of such a run may
// count a token or two more or less than in one piece.
func Encoding(name string) (Counter, error) {
	switch name {
	case "cl100k_base":
		return CL100K(), nil
	case "o200k_base":
		return &o200k, nil
	case "p50k_base", "p50k_edit": // they differ in special tokens only
		return &p50k, nil
	case "r50k_base":
		return &r50k, nil
	}
	return nil, fmt.Errorf("no encoding is called %.80q; known: cl100k_base, o200k_base, p50k_base, p50k_edit, r50k_base", name)
}

// The patterns by which tiktoken-go splits a text, which it does not export.
const (
	pattern50k  = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	pattern200k = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

var (
	o200k = encoding{name: "o200k_base", pattern: pattern200k}
	p50k  = encoding{name: "p50k_base", pattern: pattern50k}
	r50k  = encoding{name: "r50k_base", pattern: pattern50k}
)

// An encoding counts with tiktoken-go, a part of the text at a time.
type encoding struct {
	name, pattern string
	read          sync.Once
	whole         *tiktoken.Tiktoken
}

// load returns the library's encoder. It is built by hand, because the library's
// own constructor downloads the vocabulary.
func (e *encoding) load() *tiktoken.Tiktoken {
	e.read.Do(func() {
		ranks, err := tiktoken_loader.NewOfflineLoader().LoadTiktokenBpe(e.name + ".tiktoken")
		if err != nil {
			panic("card: reading a vocabulary that is part of the program: " + err.Error())
		}
		core, err := tiktoken.NewCoreBPE(ranks, nil, e.pattern)
		if err != nil {
			panic("card: building the encoding " + e.name + ": " + err.Error())
		}
		e.whole = tiktoken.NewTiktoken(core, &tiktoken.Encoding{Name: e.name, PatStr: e.pattern, MergeableRanks: ranks}, nil)
	})
	return e.whole
}

func (e *encoding) Count(text string, most int) int { return e.count(text, 0, 0, most) }

// count adds the tokens of text[i:] to n, until there are more than most.
func (e *encoding) count(text string, i, n, most int) int {
	for i < len(text) && n <= most {
		end := partEnd(text, i)
		n += len(e.load().EncodeOrdinary(text[i:end]))
		i = end
	}
	return n
}

// maxPart is how many bytes the library is given at a time.
const maxPart = 512

// partEnd returns the end of the part that begins at text[i:]: the last place
// within maxPart bytes where every encoding breaks, else all of them.
func partEnd(text string, i int) int {
	if len(text)-i <= maxPart {
		return len(text)
	}
	for end := i + maxPart; end > i; end-- {
		if utf8.RuneStart(text[end]) && breaks(text, end) {
			return end
		}
	}
	for end := i + maxPart; end > i+maxPart-utf8.UTFMax; end-- {
		if utf8.RuneStart(text[end]) {
			return end
		}
	}
	return i + maxPart // it is no UTF-8
}

// breaks reports whether a piece of every pattern ends at text[i:], whatever
// stands around the two characters that meet there. The first is no white space,
// which the patterns divide by what follows it.
func breaks(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i:])
	switch {
	case unicode.IsSpace(before):
		return false
	case unicode.IsNumber(before) != unicode.IsNumber(after):
		return true
	case unicode.IsSpace(after):
		return after != '\r' && after != '\n' || unicode.IsLetter(before) // signs take line ends with them
	}
	word := unicode.IsLetter(after) || unicode.IsMark(after) || after == '\'' // which a word may go on with
	return unicode.IsLetter(before) && !word
}

func (e *encoding) prefixes(text string, most int) prefixCounter {
	p := &parts{e: e, text: text[:min(len(text), maxText)]}
	end := 0
	for n := 0; end < len(p.text) && n <= most; {
		p.starts = append(p.starts, end)
		p.tokens = append(p.tokens, n)
		end = partEnd(p.text, end)
		n += len(e.load().EncodeOrdinary(p.text[p.starts[len(p.starts)-1]:end]))
	}
	p.text = p.text[:end]
	return p
}

// parts holds how many tokens of an encoding there are before each part of a
// text, for as much of it as a budget can pay for.
type parts struct {
	e      *encoding
	text   string
	starts []int // of the parts
	tokens []int // before each part
}

func (p *parts) reach() int { return len(p.text) }

// fits counts the part anew in which the prefix ends.
func (p *parts) fits(end, most int) bool {
	k := sort.SearchInts(p.starts, end) - 1 // the last that begins before it
	return k < 0 && most >= 0 || k >= 0 && p.e.count(p.text[:end], p.starts[k], p.tokens[k], most) <= most
}
