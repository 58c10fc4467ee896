package redact

import (
	"fmt"
	"math/bits"
)

// Text may be JSON, with JSON inside its strings, at any depth. A replacement must not split an escape or reach beyond
// its string.

// backslashes returns how many backslashes end at text[i].
func backslashes(text string, i int) int {
	n := 0
	for n < i && text[i-1-n] == '\\' {
		n++
	}
	return n
}

// level returns the nesting depth in JSON strings of a quote after n backslashes: " is at 0, \" at 1, \\\" at 2.
// Further pairs of backslashes belong to the string that the quote ends.
func level(n int) int { return bits.TrailingZeros(^uint(n)) }

// escaped reports whether an escape, such as \n or \u0026, ends at text[i].
func escaped(text string, i int) bool {
	if i >= 2 && text[i-2] == '\\' {
		return true
	}
	return i >= 6 && text[i-6] == '\\' && text[i-5] == 'u' && hexRun(text, i-4) >= 4
}

// spelled returns the end of the ASCII character c at text[i], plain or as an escape such as \u003d, or i if there is
// none.
func spelled(text string, i int, c byte) int {
	if i < len(text) && text[i] == c {
		return i + 1
	}
	n := run(text, i, backslash)
	if n > i && hasPrefixFold(text[n:], fmt.Sprintf("u%04x", c)) {
		return n + len("u0000")
	}
	return i
}

// hexRun returns how many hexadecimal digits begin at text[i], at most 4.
func hexRun(text string, i int) int {
	n := 0
	for n < 4 && i+n < len(text) && hexDigit(text[i+n]) {
		n++
	}
	return n
}

// escapeLength returns the length of the escape whose backslash is at text[i].
func escapeLength(text string, i int) int {
	if i+1 < len(text) && text[i+1] == 'u' {
		return 2 + hexRun(text, i+2)
	}
	return min(2, len(text)-i)
}

// align moves both ends of a span past the escape that they split.
func align(text string, s span) span {
	s.start = min(afterEscape(text, s.start), len(text))
	s.end = max(s.start, min(afterEscape(text, s.end), len(text)))
	return s
}

// afterEscape returns the end of the escape around text[i], or i.
func afterEscape(text string, i int) int {
	for n := 1; n <= 5 && n <= i; n++ {
		if text[i-n] == '\\' && backslashes(text, i-n)%2 == 0 {
			return max(i, i-n+escapeLength(text, i-n))
		}
	}
	return i
}

func hexDigit(c byte) bool { return digit(c) || 'a' <= lower(c) && lower(c) <= 'f' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool { return 'a' <= lower(c) && lower(c) <= 'z' }

func alnum(c byte) bool { return letter(c) || digit(c) }

func backslash(c byte) bool { return c == '\\' }

// word reports whether c may be part of a name.
func word(c byte) bool { return alnum(c) || c == '_' }

// url64 reports whether c belongs to URL-safe base64.
func url64(c byte) bool { return word(c) || c == '-' }

// run returns the end of the characters of a class that begin at text[i].
func run(text string, i int, class func(byte) bool) int {
	for i < len(text) && class(text[i]) {
		i++
	}
	return i
}
