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

// Encoding returns the counter of an encoding of tiktoken-go, for models that do not count in cl100k_base: o200k_base,
// p50k_base, p50k_edit or r50k_base. The name cl100k_base returns [CL100K].
//
// The vocabulary is part of the program. It is read at the first count: o200k_base takes 300 ms and 23 MB. Special
// tokens and short texts are treated as by CL100K. A byte that is not valid UTF-8 counts as U+FFFD.
//
// tiktoken-go is quadratic in the length of a run without a break, so it receives at most 512 bytes at a time. Count is
// linear, and reads little more than 512 × most bytes. The number is exact unless a word, number, row of signs or
// stretch of white space is longer than 512 bytes. Each 512 bytes of such a run may count a token or two more or less.
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

// The patterns by which tiktoken-go splits a text. It does not export them.
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

// An encoding counts with tiktoken-go, one part of the text at a time.
type encoding struct {
	name, pattern string
	read          sync.Once
	whole         *tiktoken.Tiktoken
}

// load returns the library's encoder. It does not use the library's constructor, which downloads the vocabulary.
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

// maxPart is the number of bytes that the library receives at a time.
const maxPart = 512

// partEnd returns the end of the part that begins at text[i:]: the last place within maxPart bytes where every encoding
// splits, or maxPart bytes if there is none.
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
	return i + maxPart // not UTF-8
}

// breaks reports whether every pattern ends a piece at text[i:], whatever surrounds the two characters there. The first
// must not be white space, because the patterns split it by what follows.
func breaks(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i:])
	switch {
	case unicode.IsSpace(before):
		return false
	case unicode.IsNumber(before) != unicode.IsNumber(after):
		return true
	case unicode.IsSpace(after):
		return after != '\r' && after != '\n' || unicode.IsLetter(before) // signs include the following line ends
	}
	word := unicode.IsLetter(after) || unicode.IsMark(after) || after == '\'' // a word may continue with these
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

// parts holds the number of tokens before each part of a text, as far as the budget reaches.
type parts struct {
	e      *encoding
	text   string
	starts []int // of the parts
	tokens []int // before each part
}

func (p *parts) reach() int { return len(p.text) }

// fits recounts only the part in which the prefix ends.
func (p *parts) fits(end, most int) bool {
	k := sort.SearchInts(p.starts, end) - 1 // the last part that begins before end
	return k < 0 && most >= 0 || k >= 0 && p.e.count(p.text[:end], p.starts[k], p.tokens[k], most) <= most
}
