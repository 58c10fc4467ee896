package card

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A class is a character class in the pattern of cl100k_base:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
//	 ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
type class uint8

const (
	ending  class = iota // of the text
	letter               // \p{L}
	number               // \p{N}
	newline              // \r or \n
	blank                // any other \s
	other
)

// classAt returns the class of the character at text[i:] and its width.
func classAt(text string, i int) (class, int) {
	if i >= len(text) {
		return ending, 0
	}
	r, n := rune(text[i]), 1
	if r >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(text[i:])
	}
	switch {
	case unicode.IsLetter(r):
		return letter, n
	case unicode.IsNumber(r):
		return number, n
	case r == '\r' || r == '\n':
		return newline, n
	case unicode.IsSpace(r):
		return blank, n
	}
	return other, n
}

// run returns the end of the characters of class c that begin at text[i:], at most most of them.
func run(text string, i int, c class, most int) int {
	for ; most > 0; most-- {
		k, n := classAt(text, i)
		if k != c {
			break
		}
		i += n
	}
	return i
}

// pieceEnd returns the end of the piece that begins at text[i:], as the pattern of cl100k_base matches it. Tokens never
// cross pieces. The scan has no backtracking, and takes time linear in the piece or white space that it finds.
func pieceEnd(text string, i int) int {
	if n := contraction(text[i:]); n > 0 {
		return i + n
	}
	c, n := classAt(text, i)
	next, _ := classAt(text, i+n)
	switch {
	case c == letter:
		return run(text, i, letter, len(text))
	case c == number:
		return run(text, i, number, 3)
	case c != newline && next == letter:
		return run(text, i+n, letter, len(text))
	case c == other, text[i] == ' ' && next == other:
		j := run(text, i+n, other, len(text))
		return run(text, j, newline, len(text))
	}
	return spaceEnd(text, i)
}

// contraction returns the length of 's, 'll and the like at the beginning of text, in any case.
func contraction(text string) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	for _, s := range []string{"s", "t", "re", "ve", "m", "ll", "d"} {
		if len(text) > len(s) && strings.EqualFold(text[1:1+len(s)], s) {
			return 1 + len(s)
		}
	}
	return 0
}

// spaceEnd returns the end of the piece of white space at text[i:]. It ends after the last line break. Without one it
// takes all white space at the end of the text, else all but the last character, which belongs to the next word.
func spaceEnd(text string, i int) int {
	j, last, lineEnd := i, i, 0
	for {
		c, n := classAt(text, j)
		switch c {
		case newline:
			lineEnd = j + n
		case blank:
		default:
			if lineEnd > 0 {
				return lineEnd
			}
			if c == ending || last == i {
				return j
			}
			return last
		}
		last, j = j, j+n
	}
}
