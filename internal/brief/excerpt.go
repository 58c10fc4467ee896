package brief

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Excerpt cuts a text to at most the given number of characters, the last of which is an ellipsis.
// It cuts at the end of a word if there is one in the second half, else between two visible
// characters. The excerpt never has more bytes than the text if most is at least 2.
func Excerpt(text string, most int) string {
	const mark = "…"
	if len(text)/utf8.UTFMax <= most && utf8.RuneCountInString(text) <= most {
		return text
	}
	end, word := 0, 0
	n, prev, flags := 0, ' ', 0
	for i, r := range text {
		if n == most || i > len(text)-len(mark) {
			break
		}
		if !joined(prev, r, flags) {
			end = i
			if unicode.IsSpace(r) && !unicode.IsSpace(prev) {
				word = i
			}
		}
		if flags++; !isFlag(r) {
			flags = 0
		}
		n, prev = n+1, r
	}
	if word > end/2 {
		end = word
	}
	return strings.TrimRightFunc(text[:end], unicode.IsSpace) + mark
}

// joined reports whether r and prev show as one character. flags is the number of flag letters in a
// row that end with prev.
func joined(prev, r rune, flags int) bool {
	const joiner = '\u200d'
	switch {
	case unicode.Is(unicode.M, r), r == joiner, prev == joiner:
		return true
	case '\U0001f3fb' <= r && r <= '\U0001f3ff', '\U000e0020' <= r && r <= '\U000e007f': // skin tones, tags of flags
		return true
	case '\u1160' <= r && r <= '\u11ff', '\ud7b0' <= r && r <= '\ud7ff': // later parts of Hangul syllables
		return true
	case prev == '\r' && r == '\n':
		return true
	}
	return isFlag(r) && flags%2 == 1
}

// isFlag reports whether r is a regional indicator. Two of them make a flag.
func isFlag(r rune) bool {
	return '\U0001f1e6' <= r && r <= '\U0001f1ff'
}
