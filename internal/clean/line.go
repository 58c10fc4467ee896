package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one line of visible characters. It removes
//
//   - terminal escape sequences and control characters
//   - invisible characters: zero-width and tag characters, variation selectors, fillers
//   - characters that change the direction of text
//   - private and unassigned characters, and invalid UTF-8
//
// Each run of white space, including line and paragraph separators, becomes one blank; at the ends it is dropped. Text
// of more than most characters is cut and ends with an ellipsis, which counts. Line reads at most 16 bytes per allowed
// character. Text that is longer is cut there too, because most of it is invisible. Nothing is left if no character is
// visible. Line returns text itself if there is nothing to do.
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

// ellipsis returns text with a mark that it was cut.
func ellipsis(text string) string { return strings.TrimRight(text, " ") + "…" }

// plain reports whether text is short ASCII that Line would not change.
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

// Visible reports whether r is visible, not white space, and does not change the direction of text. Not visible are
// control, unassigned, private and format characters, variation selectors, fillers, and U+FFFD, which replaces invalid
// UTF-8.
func Visible(r rune) bool {
	return r != unicode.ReplacementChar && unicode.IsGraphic(r) && r != '\u2800' && // blank Braille pattern
		!unicode.Is(unicode.Variation_Selector, r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
