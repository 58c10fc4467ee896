package toolid

import (
	"bytes"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// appendNames appends an array of texts.
func appendNames(dst []byte, names [][]byte) []byte {
	dst = append(dst, '[')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, name)
	}
	return append(dst, ']')
}

// The letters of escapes of one character, and what they stand for. Other
// escaped characters stand for themselves.
const (
	shortEscapes = "nrtbf"
	shortEscaped = "\n\r\t\b\f"
)

// appendText appends a text as JSON in ASCII, as Python's json.dumps does:
// Go's encoder would escape <, > and & and leave other scripts as they are.
func appendText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		c := text[0]
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		if ' ' <= c && c <= '~' {
			dst, text = append(dst, c), text[1:]
			continue
		}
		if i := bytes.IndexByte([]byte(shortEscaped), c); i >= 0 {
			dst, text = append(dst, '\\', shortEscapes[i]), text[1:]
			continue
		}
		r, n := firstRune(text)
		dst = strictjson.AppendEscape(dst, r)
		text = text[n:]
	}
	return append(dst, '"')
}

// firstRune decodes what [strictjson.Unquote] wrote. Anything else that is not UTF-8
// counts as U+FFFD, byte by byte.
func firstRune(s []byte) (rune, int) {
	r, n := utf8.DecodeRune(s)
	if n == 1 && len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, n
}
