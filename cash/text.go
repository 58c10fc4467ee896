package cash

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine bounds a description in a list, in characters.
const maxLine = 200

// oneLine returns the first line of a description, cleaned and bounded: an
// entry of a list is one line whatever was registered (R50).
func oneLine(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, "\r\n\u0085\u2028\u2029"); i >= 0 {
		text = strings.TrimSpace(text[:i])
	}
	return cut(cleanText(text), maxLine)
}

// flow returns text on one line, for a cell of a table.
func flow(text string) string {
	return cleanText(strings.Join(strings.Fields(text), " "))
}

// cell returns text for a cell of a markdown table.
func cell(text string) string {
	return strings.ReplaceAll(flow(text), "|", `\|`)
}

// cleanText drops what a model should not be fed: control characters, and
// those that are invisible or turn the direction of text.
func cleanText(text string) string {
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

// cut shortens text to most characters, at the end of a word where it can.
func cut(text string, most int) string {
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
