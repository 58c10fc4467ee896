package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text without what [Line] removes, except for white space. Line feeds, tabs and blanks stay. Other line
// ends become line feeds; other white-space control characters become blanks. It keeps U+200D between emoji and between
// letters of scripts beyond ASCII, and U+FE0F after an emoji, never two of them in a row.
//
// Text returns text itself if there is nothing to do.
func Text(text string) string {
	start := 0
	for start < len(text) && simple(text[start]) {
		start++
	}
	if start == len(text) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:start])
	prev := '\n'
	if start > 0 {
		prev = rune(text[start-1])
	}
	for i := start; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if m := escape(text[i:], r, n); m > 0 {
			i += m
			continue
		}
		i += n
		switch {
		case r == '\r' && strings.HasPrefix(text[i:], "\n"):
			continue
		case lineEnd(r):
			r = '\n'
		case r == '\v' || r == '\f':
			r = ' '
		case r != '\t' && !Visible(r) && !joins(prev, r, text[i:]):
			continue
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// simple reports whether c is a character that Text always keeps.
func simple(c byte) bool { return ' ' <= c && c <= '~' || c == '\n' || c == '\t' }

// lineEnd reports whether r ends a line.
func lineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// joins reports whether the invisible character r is meaningful between prev and rest.
func joins(prev, r rune, rest string) bool {
	switch {
	case r == '\u200d':
		return prev > unicode.MaxASCII && prev != r && !unicode.IsSpace(prev)
	case r != '\ufe0f':
		return false
	case prev > unicode.MaxASCII:
		return unicode.IsSymbol(prev) || unicode.IsPunct(prev) || prev == 'ℹ'
	}
	// The keycap of a digit, of # and of *.
	return strings.ContainsRune("0123456789#*", prev) && strings.HasPrefix(rest, "\u20e3")
}

// Flow returns [Text] on one line.
func Flow(text string) string {
	if flowing(text) {
		return text
	}
	return strings.Join(strings.Fields(Text(text)), " ")
}

// flowing reports whether text is visible ASCII with single blanks between its words.
func flowing(text string) bool {
	last := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return last != ' ' || text == ""
}

// WithoutHeading returns text without white space, and without the marks of a heading in Markdown ("# "), at its start.
func WithoutHeading(text string) string {
	text = strings.TrimSpace(text)
	rest := strings.TrimLeft(text, "#")
	if marks := len(text) - len(rest); marks == 0 || marks > 6 || rest != "" && !strings.ContainsAny(rest[:1], " \t\r\n") {
		return text
	}
	return strings.TrimSpace(rest)
}

// FirstLine returns [Flow] of the first line that is not empty, [WithoutHeading], cut to most characters.
func FirstLine(text string, most int) string {
	for line := range strings.FieldsFuncSeq(text, lineEnd) {
		if line = WithoutHeading(Flow(line)); line != "" {
			return Cut(line, most)
		}
	}
	return ""
}

// Beginning returns at most so many bytes of text, without a broken character at the
// end.
func Beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Runes returns the same as utf8.RuneCount, which copies the data from the first character beyond ASCII on (go1.26).
func Runes(data []byte) (n int) {
	for i := 0; i < len(data); n++ {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, size := utf8.DecodeRune(data[i:])
		i += size
	}
	return n
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
