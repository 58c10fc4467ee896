package strictjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// plain marks the bytes that need no handling in a string: ASCII without control characters, quote and backslash.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// str scans a string whose opening quote is at pos, and reports whether it has escapes.
func (s *scanner) str() (escaped bool, err *Error) {
	data := s.data
	i := skipPlain(data, s.pos+1)
	for i < len(data) {
		c := data[i]
		switch {
		case plain[c]:
			i++
		case c == '"':
			s.pos = i + 1
			return escaped, nil
		case c == '\\':
			n, reason := escape(data[i:])
			if reason == loneSurrogate && s.loose {
				n, reason = 6, ""
			}
			if reason != "" {
				return false, fail(i, reason)
			}
			escaped = true
			i = skipPlain(data, i+n)
		case c < 0x20:
			return false, fail(i, "control character in a string, which must be written as an escape")
		case s.loose:
			i++
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return false, fail(i, "invalid UTF-8")
			}
			i += n
		}
	}
	s.pos = i
	return false, s.cut()
}

// skipPlain returns the index of the first byte from i on that is not plain, or one of the last eight. It tests eight
// bytes at a time: a byte is not plain if its high bit is set, or becomes set by a subtraction that borrows. Borrows
// from bytes below may set more, so only the lowest bit counts.
func skipPlain(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		quote, slash := w^ones*'"', w^ones*'\\'
		if special := (w | (w - ones*' ') | (quote - ones) | (slash - ones)) & highs; special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	return i
}

// A byte 1, and a byte with its high bit, in each place of a word.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// escape returns the length of the escape sequence at the start of data, or what is wrong with it. A surrogate pair is
// one sequence.
func escape(data []byte) (n int, reason string) {
	if len(data) < 2 {
		return 0, "unfinished escape sequence"
	}
	switch data[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, ""
	case 'u':
	default:
		return 0, "unknown escape sequence"
	}
	high, ok := Hex4(data[2:])
	if !ok {
		return 0, `\u without four hexadecimal digits`
	}
	if !utf16.IsSurrogate(high) {
		return 6, ""
	}
	if len(data) >= 8 && data[6] == '\\' && data[7] == 'u' {
		if low, ok := Hex4(data[8:]); ok && utf16.DecodeRune(high, low) != utf8.RuneError {
			return 12, ""
		}
	}
	return 0, loneSurrogate
}

const loneSurrogate = "escape of a lone surrogate"

// Hex4 reads the four hexadecimal digits that text begins with.
func Hex4[T string | []byte](text T) (r rune, ok bool) {
	if len(text) < 4 {
		return 0, false
	}
	for _, c := range []byte(text[:4]) {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// Unquote returns what a string stands for, as a part of quoted if there are no escapes. It takes what json.Valid
// accepts: half a surrogate pair becomes the three bytes that the pattern of UTF-8 gives it, so that bytes compare as
// code points do.
func Unquote(quoted []byte) []byte {
	raw := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return unescaped(make([]byte, 0, len(raw)), raw, true)
}

// unescape appends to dst what the inside of an accepted string stands for.
func unescape(dst, raw []byte) []byte {
	return unescaped(dst, raw, false)
}

func unescaped(dst, raw []byte, halves bool) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		n, reason := escape(raw[i:])
		switch {
		case reason == "":
			dst = utf8.AppendRune(dst, escaped(raw[i:i+n]))
		case halves && reason == loneSurrogate:
			n = 6
			r := escaped(raw[i : i+n])
			dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
		default: // not accepted by Check: keep the rest as it stands
			return append(dst, raw[i:]...)
		}
		i += n
	}
	return dst
}

// AppendEscape appends the escape of a character, which is two escapes if it is a pair of surrogates.
func AppendEscape(dst []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return AppendEscape(AppendEscape(dst, high), low)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// escaped returns the character of one escape sequence.
func escaped(seq []byte) rune {
	switch seq[1] {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		r, _ := Hex4(seq[2:])
		if len(seq) == 12 {
			low, _ := Hex4(seq[8:])
			return utf16.DecodeRune(r, low)
		}
		return r
	}
	return rune(seq[1])
}
