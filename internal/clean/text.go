package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text without control characters other than line feeds and tabs,
// and without characters that are invisible or turn the direction of text;
// U+200D, which joins emoji, stays. What is not valid UTF-8 is dropped.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar, unicode.Is(unicode.Cf, r) && r != '\u200d':
			return -1
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
}

// Flow returns the words of [Text] on one line.
func Flow(text string) string {
	return Text(strings.Join(strings.Fields(text), " "))
}

// FirstLine returns [Text] of the first line that is not blank, cut to most
// characters.
func FirstLine(text string, most int) string {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, "\r\n\u0085\u2028\u2029"); i >= 0 {
		text = strings.TrimSpace(text[:i])
	}
	return Cut(Text(text), most)
}

// Cut shortens text that is longer to most characters, of which the last is an
// ellipsis, at the end of a word where there is one in the second half.
func Cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	end := 0
	for i := range text {
		if most--; most == 0 {
			end = i
			break
		}
	}
	short := text[:end]
	if i := strings.LastIndexByte(short, ' '); i > len(short)/2 {
		short = short[:i]
	}
	return short + "…"
}
