package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// maxWord bounds a word, in bytes; longer words are cut.
const maxWord = 64

// A piece is a word of a text.
type piece struct {
	word string // folded: lower case, without diacritics
	kind kind
}

// kind says how a word occurs in its text.
type kind uint8

const (
	whole  kind = iota // by itself
	part               // within a word that its case splits, such as git in GitHub
	joined             // the whole of such a word, after its parts
)

// pieces returns the words of text: runs of letters and digits, split at changes of case and after acronyms
// (GetHTTPStatus is get, http, status). Scripts without spaces between words give pairs of neighbouring characters.
// Emoji are words of their own.
func pieces(text string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		text := normalize(text)
		start, current := 0, separator
		for i, r := range text {
			c := classOf(r)
			if c == mark { // belongs to the character before it
				c = current
				if c == picture {
					continue
				}
			}
			if c == current && c != picture {
				continue
			}
			if !split(text[start:i], current, yield) {
				return
			}
			start, current = i, c
		}
		split(text[start:], current, yield)
	}
}

// normalize unifies the spellings of a character, and keeps case.
func normalize(text string) string {
	if isASCII(text) {
		return text
	}
	text = norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, r == '\u200b': // the latter separates words
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Me, unicode.Variation_Selector): // affects only how its neighbours look
			return -1
		}
		return r
	}, text))
	return strings.ReplaceAll(text, "\u0640", "") // it lengthens Arabic words
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

type class uint8

const (
	separator class = iota
	spaced          // letters of scripts that space their words, and digits
	unspaced        // letters of scripts that do not
	picture         // emoji, and symbols beyond ASCII
	mark            // combines with the character before it
)

// unspacedScripts are split into pairs of characters: scripts without spaces between words, and Korean, whose endings
// are attached.
var unspacedScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return spaced
	case r < utf8.RuneSelf:
		return separator
	case r == 'ー' || r == '々': // lengthens, repeats
		return unspaced
	case unicode.Is(unicode.Sk, r): // skin tones
		return separator
	case unicode.IsMark(r):
		return mark
	case unicode.In(r, unspacedScripts...):
		return unspaced
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return spaced
	case unicode.IsSymbol(r):
		return picture
	}
	return separator
}

// split yields the words of a run of characters of one class.
func split(run string, c class, yield func(piece) bool) bool {
	switch c {
	case spaced:
		return splitCase(run, yield)
	case unspaced:
		return splitPairs(run, yield)
	case picture:
		return yield(piece{clean.Beginning(run, maxWord), whole}) // marks may follow without end
	}
	return true
}

// splitPairs yields all pairs of neighbouring characters, with their marks, and a single character as it is.
func splitPairs(run string, yield func(piece) bool) bool {
	first, second := 0, 0 // where the last two characters start
	n := 0
	for i, r := range run {
		if n > 0 && unicode.IsMark(r) {
			continue
		}
		switch n++; n {
		case 1:
		case 2:
			second = i
		default:
			if !yield(piece{clean.Beginning(run[first:i], maxWord), whole}) {
				return false
			}
			first, second = second, i
		}
	}
	return yield(piece{clean.Beginning(run[first:], maxWord), whole})
}

// splitCase yields the parts of a word between changes of case, and then the whole word if there are several parts.
func splitCase(word string, yield func(piece) bool) bool {
	start := 0
	var before, last rune // the two characters before r
	for i, r := range word {
		at := start
		switch {
		case unicode.IsUpper(r) && unicode.IsLower(last): // orderId
			at = i
		case unicode.IsLower(r) && unicode.IsUpper(last) && before != 0 && !unicode.IsLower(before) && !plural(word[i:]): // HTTPStatus
			if at = i - utf8.RuneLen(last); at-start == utf8.RuneLen(before) { // OAuth is one
				at = start
			}
		}
		if at > start {
			if !yield(piece{foldWord(word[start:at]), part}) {
				return false
			}
			start = at
		}
		before, last = last, r
	}
	if start == 0 {
		return yield(piece{foldWord(word), whole})
	}
	return yield(piece{foldWord(word[start:]), part}) && yield(piece{foldWord(word), joined})
}

// plural reports whether rest, after a capital, begins with a plural ending, as in URLs.
func plural(rest string) bool {
	if rest[0] != 's' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest[1:])
	return len(rest) == 1 || unicode.IsUpper(next)
}

func foldWord(word string) string { return fold(clean.Beginning(word, maxWord)) }

// fold returns text in lower case, without diacritics that are often omitted.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		if optional(r) {
			continue
		}
		if s, ok := spelt[r]; ok {
			b.WriteString(s)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// optional reports whether a mark is often omitted: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of
// Arabic.
func optional(r rune) bool {
	return 0x300 <= r && r <= 0x36F || 0x591 <= r && r <= 0x5C7 || 0x64B <= r && r <= 0x65F || r == 0x670
}

// spelt maps letters to their usual replacements, and the final sigma to sigma.
var spelt = map[rune]string{'ς': "σ", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ı': "i"}
