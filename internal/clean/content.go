package clean

import (
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Content cleans text that is data, such as the content of a file. It removes characters that control a terminal or
// deceive a reader invisibly, and keeps everything else, including white space and line ends. It removes
//
//   - escape sequences of terminals, and control characters other than tab, line
//     feed, form feed and carriage return
//   - characters that embed, override or isolate the direction of text (U+202A to U+202E, U+2066 to U+206F), and
//     annotations between lines (U+FFF9 to U+FFFB)
//   - tag characters and other invisible characters from U+E0000 to U+E0FFF, except for variation selectors
//   - the third and later of adjacent invisible characters, such as joiners, direction marks, soft hyphens, byte order
//     marks and variation selectors: no script and no emoji needs them, and they can hide texts
//   - invalid UTF-8
//
// A JSON object or array is cleaned as by [ContentJSON]. Content returns text itself if there is nothing to do.
func Content(text string) string {
	if settled(text) {
		return text
	}
	if isJSON(text) {
		return string(ContentJSON([]byte(text)))
	}
	cleaned := content(text)
	if len(cleaned) < len(text) && isJSON(cleaned) { // the removed characters kept it from being JSON
		return string(ContentJSON([]byte(cleaned)))
	}
	return cleaned
}

// ContentJSON returns a valid JSON document with all strings, keys and values, cleaned as by [Content]. Everything else
// keeps its spelling, and so do clean strings. It returns raw itself if there is nothing to do.
func ContentJSON(raw []byte) []byte {
	if settled(raw) {
		return raw
	}
	return EachString(raw, appendContent)
}

// appendContent appends a quoted JSON string, cleaned.
func appendContent(dst, quoted []byte) []byte {
	if settled(quoted) {
		return append(dst, quoted...)
	}
	return appendCleaned(dst, quoted, content)
}

// maxHidden is the number of adjacent invisible characters that Content keeps: a variation selector and a joiner, as in
// a composed emoji.
const maxHidden = 2

// content is Content for text that is not JSON.
func content(text string) string {
	var b strings.Builder
	start, hidden := 0, 0 // start of the unwritten text; number of adjacent invisible characters
	for i := 0; i < len(text); {
		if ordinary(text[i]) {
			hidden = 0
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		keep := true
		switch m := escape(text[i:], r, n); {
		case m > 0:
			keep, n = false, m
		case steers(r) || r == utf8.RuneError && n == 1:
			keep = false
		case !hides(r):
			hidden = 0
		case hidden < maxHidden:
			hidden++
		default:
			keep = false
		}
		if !keep {
			b.WriteString(text[start:i])
			start = i + n
		}
		i += n
	}
	if start == 0 {
		return text
	}
	b.WriteString(text[start:])
	return b.String()
}

// settled reports whether Content surely keeps text as it is, whether it is JSON or not.
func settled[T string | []byte](text T) bool {
	hidden := 0
	for i := 0; i < len(text); {
		c := text[i]
		if ordinary(c) && c != '\\' {
			hidden = 0
			i++
			continue
		}
		r, n := rune(c), 1
		switch {
		case c == '\\':
			r, n = escaped(text, i)
		case c >= utf8.RuneSelf:
			r, n = runeAt(text, i)
			if r == utf8.RuneError && n == 1 {
				return false
			}
		}
		switch {
		case steers(r):
			return false
		case !hides(r):
			hidden = 0
		case hidden == maxHidden:
			return false
		default:
			hidden++
		}
		i += n
	}
	return true
}

func runeAt[T string | []byte](text T, i int) (rune, int) {
	return utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
}

// escaped returns the character of a JSON escape at text[i], and its length. For an irrelevant escape it returns the
// backslash.
func escaped[T string | []byte](text T, i int) (rune, int) {
	if i+1 == len(text) {
		return '\\', 1
	}
	switch text[i+1] {
	case '\\':
		return '\\', 2
	case 'b':
		return '\b', 2
	case 'u':
		r, ok := strictjson.Hex4(text[i+2:])
		if !ok {
			return '\\', 1
		}
		if 0xd800 <= r && r < 0xdc00 && i+7 < len(text) && text[i+6] == '\\' && text[i+7] == 'u' {
			if low, ok := strictjson.Hex4(text[i+8:]); ok && 0xdc00 <= low && low < 0xe000 {
				return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, 12
			}
		}
		return r, 6
	}
	return '\\', 1
}

// ordinary reports whether c is an ASCII character that Content keeps wherever it
// stands.
func ordinary(c byte) bool {
	return ' ' <= c && c <= '~' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// steers reports whether Content always removes r.
func steers(r rune) bool {
	switch {
	case r < ' ':
		return !ordinary(byte(r))
	case r < 0x202a:
		return 0x7f <= r && r < 0xa0
	case r < 0xe0000:
		return r <= 0x202e || 0x2066 <= r && r <= 0x206f || 0xfff9 <= r && r <= 0xfffb
	}
	return r < 0xe0100 || 0xe01f0 <= r && r < 0xe1000
}

// hides reports whether r is invisible, but meaningful on its own: the default-ignorable characters of Unicode
// (Default_Ignorable_Code_Point), except those that steer.
func hides(r rune) bool {
	switch {
	case r < 0x0600:
		return r == 0x00ad || r == 0x034f
	case r < 0x2000:
		return r == 0x061c || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 || 0x180b <= r && r <= 0x180f
	case r < 0x2100:
		return 0x200b <= r && r <= 0x200f || 0x2060 <= r && r <= 0x2065
	case r < 0xfe00:
		return r == 0x3164
	case r < 0x10000:
		return r <= 0xfe0f || r == 0xfeff || r == 0xffa0 || 0xfff0 <= r && r <= 0xfff8
	}
	return 0x1bca0 <= r && r <= 0x1bca3 || 0x1d173 <= r && r <= 0x1d17a || 0xe0100 <= r && r <= 0xe01ef
}

// isJSON reports whether text is a JSON object or array.
func isJSON(text string) bool {
	start := strings.TrimLeft(text, " \t\r\n")
	return start != "" && (start[0] == '{' || start[0] == '[') && strictjson.Valid([]byte(text))
}
