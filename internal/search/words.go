package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// maxWord bounds a word, in bytes: what is longer is cut.
const maxWord = 64

// A piece is a word of a text.
type piece struct {
	word string // folded: lower case, without diacritics
	kind kind
}

// kind tells how a word stands in its text.
type kind uint8

const (
	whole  kind = iota // by itself
	part               // within a word that its case splits, such as git in GitHub
	joined             // all of such a word, after its parts
)

// pieces returns the words of text: runs of letters and digits, split at
// changes of case and at the end of acronyms (GetHTTPStatus is get, http,
// status). Scripts that do not space their words come as pairs of neighbouring
// characters. Pictures are words of their own.
func pieces(text string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		text := normalize(text)
		start, current := 0, separator
		for i, r := range text {
			c := classOf(r)
			if c == mark { // goes with what is before it
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

// normalize gives the spellings of a character one form, and keeps the case.
func normalize(text string) string {
	if isASCII(text) {
		return text
	}
	text = norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, r == '\u200b': // the latter parts words
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Me, unicode.Variation_Selector): // how to draw what is beside it
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
	mark            // combines with what is before it
)

// unspacedScripts are read in pairs of characters: those without spaces between
// words, and Korean, whose endings stick to them.
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

// splitPairs yields every two neighbouring characters, with their marks, and a
// single one as it is.
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

// splitCase yields the parts of a word that changes of case make, and the word
// itself if there are several.
func splitCase(word string, yield func(piece) bool) bool {
	start := 0
	var before, last rune // the two before r
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

// plural reports whether rest, which follows a capital, begins with the ending
// of a plural such as URLs.
func plural(rest string) bool {
	if rest[0] != 's' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest[1:])
	return len(rest) == 1 || unicode.IsUpper(next)
}

func foldWord(word string) string { return fold(clean.Beginning(word, maxWord)) }

// fold returns text in lower case, without the diacritics of alphabets in
// which they are often left out.
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

// optional reports whether a mark is often left out: the accents of Latin, Greek
// and Cyrillic, the points of Hebrew, the vowels of Arabic.
func optional(r rune) bool {
	return 0x300 <= r && r <= 0x36F || 0x591 <= r && r <= 0x5C7 || 0x64B <= r && r <= 0x65F || r == 0x670
}

// spelt are letters that people without them write otherwise, and the sigma at
// the end of words.
var spelt = map[rune]string{'ς': "σ", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ı': "i"}
