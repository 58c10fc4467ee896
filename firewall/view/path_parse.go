package view

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxNesting bounds how deep parentheses, functions and queries of a filter nest.
const maxNesting = 32

// parsePath parses a JSON path. The error is a [*SelectorError] that names the position of the mistake.
func parsePath(text string) (*jsonPath, error) {
	p := &pathParser{text: text}
	if !p.take("$") {
		return nil, selectorErrorf(`path begins with $, as in "$.items[*].name"`)
	}
	path := p.segments()
	if p.wrong == "" && p.at < len(text) {
		p.fail("expected . or [")
	}
	if p.wrong != "" {
		n := utf8.RuneCountInString(text[:min(p.at, len(text))])
		return nil, selectorErrorf(`path is not a JSON path (RFC 9535): after %d characters %s; an example is "$.items[?@.n > 3].name"`, n, p.wrong)
	}
	return path, nil
}

// A pathParser parses a path from left to right. After a mistake it stops, and its results are meaningless.
type pathParser struct {
	text  string
	at    int
	depth int
	wrong string // the first mistake, at position at
}

func (p *pathParser) fail(format string, args ...any) {
	if p.wrong == "" {
		p.wrong = fmt.Sprintf(format, args...)
		p.text = p.text[:p.at] // nothing more to read
	}
}

// peek returns the next byte, or 0 at the end.
func (p *pathParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// take skips s if it comes next, and reports whether it did.
func (p *pathParser) take(s string) bool {
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

// want skips s. It is a mistake if s does not come next.
func (p *pathParser) want(s string) {
	if !p.take(s) {
		p.fail("expected %s", s)
	}
}

// blanks skips white space.
func (p *pathParser) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.at]) >= 0 {
		p.at++
	}
}

// segments parses the segments after $ or @.
func (p *pathParser) segments() *jsonPath {
	path := &jsonPath{}
	for {
		before := p.at
		p.blanks()
		switch {
		case p.take(".."):
			s := segment{descend: true}
			if p.peek() == '[' {
				s.selectors = p.brackets()
			} else {
				s.selectors = p.shorthand()
			}
			path.segments = append(path.segments, s)
		case p.take("."):
			path.segments = append(path.segments, segment{selectors: p.shorthand()})
		case p.peek() == '[':
			path.segments = append(path.segments, segment{selectors: p.brackets()})
		default:
			p.at = before // blanks belong to the next segment
			return path
		}
	}
}

// shorthand parses a name or an asterisk.
func (p *pathParser) shorthand() []pathSelector {
	if p.take("*") {
		return []pathSelector{{kind: selectAll}}
	}
	begin := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
		if !letter && (p.at == begin || c < '0' || c > '9') {
			break
		}
		p.at++
	}
	if begin == p.at {
		p.fail("expected a name or *")
	}
	return []pathSelector{{kind: selectName, name: p.text[begin:p.at]}}
}

// brackets parses selectors in brackets.
func (p *pathParser) brackets() (list []pathSelector) {
	p.want("[")
	for {
		p.blanks()
		list = append(list, p.selector())
		p.blanks()
		if !p.take(",") {
			p.want("]")
			return list
		}
	}
}

// selector parses one selector in brackets.
func (p *pathParser) selector() pathSelector {
	switch c := p.peek(); {
	case c == '"' || c == '\'':
		return pathSelector{kind: selectName, name: p.quoted()}
	case p.take("*"):
		return pathSelector{kind: selectAll}
	case p.take("?"):
		p.blanks()
		return pathSelector{kind: selectFilter, filter: p.alternatives()}
	}
	first := p.optional()
	p.blanks()
	if !p.take(":") {
		if first == nil {
			p.fail("expected a name in quotes, an index, a slice, * or a filter")
			return pathSelector{}
		}
		return pathSelector{kind: selectIndex, index: *first}
	}
	s := slice{start: first, step: 1}
	p.blanks()
	s.end = p.optional()
	p.blanks()
	if p.take(":") {
		p.blanks()
		if step := p.optional(); step != nil {
			s.step = *step
		}
	}
	return pathSelector{kind: selectSlice, slice: s}
}

// optional parses an integer if one comes next.
func (p *pathParser) optional() *int {
	begin := p.at
	p.take("-")
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	if begin == p.at {
		return nil
	}
	digits := p.text[begin:p.at]
	n, err := strconv.Atoi(digits)
	if err != nil || n > largest || n < -largest || strconv.Itoa(n) != digits {
		p.at = begin
		p.fail("expected an integer without leading zeros")
	}
	return &n
}

// quoted parses a name or a text in single or double quotes.
func (p *pathParser) quoted() string {
	quote := p.text[p.at]
	p.at++
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == quote:
			p.at++
			return b.String()
		case c < ' ':
			p.fail("expected no control character in quotes")
		case c == '\\':
			b.WriteRune(p.escape(quote))
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	p.fail("expected %c", quote)
	return ""
}

// escape parses an escape sequence between quotes.
func (p *pathParser) escape(quote byte) rune {
	p.at++
	c := p.peek()
	if i := strings.IndexByte(`bfnrt/\`, c); i >= 0 && c != 0 {
		p.at++
		return rune("\b\f\n\r\t/\\"[i])
	}
	switch c {
	case quote:
		p.at++
		return rune(quote)
	case 'u':
		r := p.hex()
		if !utf16.IsSurrogate(r) {
			return r
		}
		if p.peek() == '\\' {
			p.at++
			if full := utf16.DecodeRune(r, p.hex()); full != utf8.RuneError {
				return full
			}
		}
	}
	p.fail("expected an escape sequence of JSON")
	return 0
}

// hex parses u and four hexadecimal digits.
func (p *pathParser) hex() rune {
	if p.peek() == 'u' && p.at+5 <= len(p.text) {
		if n, err := strconv.ParseUint(p.text[p.at+1:p.at+5], 16, 16); err == nil {
			p.at += 5
			return rune(n)
		}
	}
	p.fail("expected \\u and four hexadecimal digits")
	return 0
}
