package toolid

import (
	"bytes"
	"iter"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The functions in this file read JSON that json.Valid has accepted, without surrounding white space. They avoid
// copies.

// members returns the keys, in quotes, and values of an object.
func members(data []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for i := space(data, 1); data[i] != '}'; i = next(data, i) {
			end := skip(data, i)
			key := data[i:end]
			i = space(data, space(data, end)+1) // after the colon
			end = skip(data, i)
			if !yield(key, data[i:end]) {
				return
			}
			i = end
		}
	}
}

// elements returns the values of an array.
func elements(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := space(data, 1); data[i] != ']'; i = next(data, i) {
			end := skip(data, i)
			if !yield(data[i:end]) {
				return
			}
			i = end
		}
	}
}

// next returns the index of the item after the one that ends at i, or of the closing bracket.
func next(data []byte, i int) int {
	if i = space(data, i); data[i] == ',' {
		i = space(data, i+1)
	}
	return i
}

// space returns the index of the first byte from i on that is not white space.
func space(data []byte, i int) int {
	for data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r' {
		i++
	}
	return i
}

// skip returns the index after the value that begins at i.
func skip(data []byte, i int) int {
	depth := 0
	for {
		switch data[i] {
		case '"':
			i = skipString(data, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			i += wordLength(data[i:])
		}
		if depth == 0 {
			return i
		}
	}
}

// wordLength returns the number of bytes up to the next quote or bracket, at least 1. A number or literal also ends at
// a comma or white space.
func wordLength(data []byte) int {
	n := 1
	for n < len(data) {
		switch data[n] {
		case '"', '{', '[', '}', ']', ',', ' ', '\n', '\t', '\r':
			return n
		}
		n++
	}
	return n
}

// skipString returns the index after the string whose opening quote is at i.
func skipString(data []byte, i int) int {
	for {
		i += 1 + bytes.IndexByte(data[i+1:], '"')
		n := i
		for data[n-1] == '\\' {
			n--
		}
		if (i-n)%2 == 0 { // not escaped
			return i + 1
		}
	}
}

// unquote returns the value of a string. Half a surrogate pair, which JSON can escape but UTF-8 cannot encode, becomes
// three bytes in the pattern of UTF-8, so that bytes compare like code points.
func unquote(quoted []byte) []byte {
	s := quoted[1 : len(quoted)-1]
	i := bytes.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	text := make([]byte, 0, len(s))
	for ; i >= 0; i = bytes.IndexByte(s, '\\') {
		text = append(text, s[:i]...)
		if s[i+1] == 'u' {
			r, n := escapedRune(s[i:])
			text, s = appendRune(text, r), s[i+n:]
			continue
		}
		c := s[i+1]
		if j := bytes.IndexByte([]byte(shortEscapes), c); j >= 0 {
			c = shortEscaped[j]
		}
		text, s = append(text, c), s[i+2:]
	}
	return append(text, s...)
}

// The letters of one-character escapes, and their values. Other escaped characters are their own value.
const (
	shortEscapes = "nrtbf"
	shortEscaped = "\n\r\t\b\f"
)

// escapedRune reads \u1234, or a surrogate pair of such escapes, and returns the character and the length of the
// escape.
func escapedRune(s []byte) (rune, int) {
	r := hexRune(s)
	if utf16.IsSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(s[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

func hexRune(escape []byte) rune {
	n, _ := strconv.ParseUint(string(escape[2:6]), 16, 16) // json.Valid has checked the digits
	return rune(n)
}

func appendRune(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(dst, r)
}

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

// appendText appends a text as ASCII JSON, like Python's json.dumps. Go's encoder escapes <, > and &, and does not
// escape other scripts.
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
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			dst = appendEscape(appendEscape(dst, high), low)
		} else {
			dst = appendEscape(dst, r)
		}
		text = text[n:]
	}
	return append(dst, '"')
}

// firstRune decodes the output of [appendRune]. Other invalid UTF-8 counts as U+FFFD, byte by byte.
func firstRune(s []byte) (rune, int) {
	r, n := utf8.DecodeRune(s)
	if n == 1 && len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, n
}

func appendEscape(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
