package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one line: without escape sequences of terminals, control
// characters, whatever is invisible (zero-width and tag characters, variation
// selectors, fillers), whatever turns the direction of text, private and
// unassigned characters and what is not valid UTF-8. White space of any kind
// and length, line and paragraph separators included, becomes one blank, and
// none at the ends. Text of more than most characters is cut there, and ends
// with an ellipsis as its last character; so is text whose first 16 bytes for
// each of them are not enough, because most of it does not
// show. If none of that does, nothing is left.
//
// Line returns what it is given if there is nothing to do.
func Line(text string, most int) string {
	if plain(text, most) {
		return text
	}
	var b strings.Builder
	gap, kept, last := false, 0, 0
	for i := 0; i < len(text); {
		if i >= 16*(most+1) {
			if b.Len() == 0 {
				return ""
			}
			return ellipsis(b.String()[:last])
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if m := escape(text[i:], r, n); m > 0 {
			i += m
			continue
		}
		i += n
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
			continue
		case !Visible(r):
			continue
		}
		if gap {
			gap = false
			b.WriteByte(' ')
			kept++
		}
		if kept >= most {
			return ellipsis(b.String()[:last])
		}
		if kept++; kept < most {
			last = b.Len() + utf8.RuneLen(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ellipsis marks text as cut.
func ellipsis(text string) string { return strings.TrimRight(text, " ") + "…" }

// plain reports whether text is short ASCII that Line has nothing to do with.
func plain(text string, most int) bool {
	if len(text) > most {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' ') {
			return false
		}
	}
	return true
}

// Visible reports whether a character other than white space shows in text and
// turns none of it around: neither a control character, nor one that is
// unassigned, private, of a format, a variation selector or a filler, nor
// U+FFFD, which stands for what is not UTF-8.
func Visible(r rune) bool {
	return r != unicode.ReplacementChar && unicode.IsGraphic(r) && r != '\u2800' && // a blank pattern of Braille
		!unicode.Is(unicode.Variation_Selector, r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
