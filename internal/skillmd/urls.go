package skillmd

import "strings"

// schemes are the URL schemes that carry content or code instead of an address (R76).
var schemes = map[string]bool{"javascript": true, "vbscript": true, "livescript": true, "data": true}

const longestScheme = len("javascript")

// linkMark replaces a dangerous URL. The link stays, but leads nowhere.
const linkMark = "#removed"

// destination removes a dangerous destination at i of a link, an image or a reference definition.
func (z *spanScanner) destination(i int) (int, bool) {
	i, _ = z.skipIgnorable(i, false)
	if i < len(z.s) && z.s[i] == '<' {
		if end, ok := z.scheme(i + 1); ok {
			return z.drop(i+1, z.until(end, ">\n"), linkMark, KindLink), true
		}
		return 0, false
	}
	end, ok := z.scheme(i)
	if !ok {
		return 0, false
	}
	// A destination ends at a blank, or at the parenthesis that closes the link.
	for depth := 0; end < len(z.s) && strings.IndexByte(" \t\n", z.s[end]) < 0; end++ {
		if z.s[end] == '(' {
			depth++
		} else if z.s[end] == ')' {
			if depth--; depth < 0 {
				break
			}
		}
	}
	return z.drop(i, end, linkMark, KindLink), true
}

// attributeURL removes a dangerous URL that is the attribute value at i.
func (z *spanScanner) attributeURL(i int) (int, bool) {
	i = z.skipBlanks(i)
	start := i
	if i < len(z.s) && (z.s[i] == '"' || z.s[i] == '\'') {
		start++
	}
	end, ok := z.scheme(start)
	if !ok {
		return 0, false
	}
	stop := z.until(end, "> \t\n\f")
	if start > i {
		if last := z.valueEnd(i); last > end {
			stop = last - 1
		}
		z.tags = z.tags.next('=').next(z.s[i])
	}
	return z.drop(start, stop, linkMark, KindLink), true
}

// scheme reports whether a dangerous URL starts at i, and returns the end of its scheme. It reads like a lenient
// browser: any case, blanks and control characters ignored, character references and backslash escapes resolved.
func (z *spanScanner) scheme(i int) (end int, ok bool) {
	var name [longestScheme]byte
	n, lineStart := 0, false
	for {
		if i, lineStart = z.skipIgnorable(i, lineStart); i >= len(z.s) {
			return 0, false
		}
		c, next := z.character(i)
		i = next
		switch {
		case c == ':':
			return i, schemes[string(name[:n])]
		case isLetter(c) && n < len(name):
			name[n] = c | 0x20
			n++
		case c > ' ':
			return 0, false
		}
	}
}

// skipIgnorable skips blanks, control characters, and after a line end the marks of quoted lines.
func (z *spanScanner) skipIgnorable(i int, lineStart bool) (int, bool) {
	for ; i < len(z.s); i++ {
		switch c := z.s[i]; {
		case c == '\n':
			lineStart = true
		case c <= ' ' || c == 0x7f || c == '>' && lineStart:
		default:
			return i, false
		}
	}
	return i, false
}

var namedReferences = map[string]byte{"colon;": ':', "Tab;": '\t', "NewLine;": '\n'}

// character decodes the character at i. Anything outside ASCII is 0xff.
func (z *spanScanner) character(i int) (c byte, next int) {
	rest := z.s[i:]
	switch {
	case rest[0] == '\\' && len(rest) > 1 && !isAlnum(rest[1]):
		return rest[1], i + 2
	case rest[0] != '&':
		return rest[0], i + 1
	}
	next = i + 1
	for strings.HasPrefix(z.s[next:], "amp;") {
		next += len("amp;")
	}
	for name, c := range namedReferences {
		if strings.HasPrefix(z.s[next:], name) {
			return c, next + len(name)
		}
	}
	if strings.HasPrefix(z.s[next:], "#") {
		return z.numeric(next + 1)
	}
	return '&', i + 1
}

// numeric decodes a numeric character reference from its first digit or x on. Leading zeros and a missing semicolon are
// accepted.
func (z *spanScanner) numeric(i int) (c byte, next int) {
	base := 10
	if i < len(z.s) && z.s[i]|0x20 == 'x' {
		base = 16
		i++
	}
	value := 0
	for ; i < len(z.s); i++ {
		d := digit(z.s[i])
		if d >= base {
			break
		}
		value = min(value*base+d, 0xff)
	}
	if i < len(z.s) && z.s[i] == ';' {
		i++
	}
	return byte(value), i
}

func digit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case isLetter(c):
		return int(c|0x20-'a') + 10
	}
	return 99
}
