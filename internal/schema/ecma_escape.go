package schema

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// controlEscapes are one-letter escapes, and controls their values.
const controlEscapes, controls = "tnvfr", "\t\n\v\f\r"

// unescape parses a one-character escape at the start of text, after the backslash. It returns the length, 0 for other
// escapes.
func unescape(text string) (r rune, size int) {
	if text == "" {
		return 0, 0
	}
	c := text[0]
	if i := strings.IndexByte(controlEscapes, c); i >= 0 {
		return rune(controls[i]), 1
	}
	switch {
	case c == 'x' || c == 'u':
		return unescapeHex(text)
	case c == 'c' && len(text) > 1 && isLetter(text[1]):
		return rune(text[1] & 0x1f), 2
	case c == '0' && (len(text) == 1 || !isDigit(text[1])):
		return 0, 1
	case c < utf8.RuneSelf && !isLetter(c) && !isDigit(c):
		return rune(c), 1
	}
	return 0, 0
}

// unescapeHex parses x41, u0041, u{41}, a pair such as uD83D\uDE00, and RE2's x{41}.
func unescapeHex(text string) (r rune, size int) {
	if digits, ok := strings.CutPrefix(text[1:], "{"); ok {
		end := strings.IndexByte(digits, '}')
		r, ok = hexRune(digits, max(end, 0))
		if !ok {
			return 0, 0
		}
		return r, end + 3
	}
	size = 3
	if text[0] == 'u' {
		size = 5
	}
	r, ok := hexRune(text[1:], size-1)
	if !ok {
		return 0, 0
	}
	if low, ok := strings.CutPrefix(text[size:], `\u`); ok && text[0] == 'u' {
		second, _ := hexRune(low, 4)
		if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
			return pair, size + 6
		}
	}
	return r, size
}

// hexRune parses n digits at the start of text.
func hexRune(text string, n int) (rune, bool) {
	if len(text) < n {
		return 0, false
	}
	value, err := strconv.ParseUint(text[:n], 16, 64)
	return rune(value), err == nil && value <= utf8.MaxRune
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
