package view

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds of a regular expression, whose time grows with the product of its size
// and that of the text.
const (
	maxInstructions = 1000
	maxPattern      = 500     // bytes
	maxMatchWork    = 1 << 29 // instructions times bytes, for one view
	minPiece        = 1 << 11 // bytes that are matched at once
	maxPiece        = 1 << 16
)

// A matcher finds a query in text. It is for one goroutine.
type matcher struct {
	expr  *regexp.Regexp // nil if text is looked for
	lower []byte         // the query in lower case, or a part of it that every match of expr has
	buf   []byte         // text in lower case
	cost  int            // instructions of expr
	work  int            // done so far
}

// newMatcher reads a query, which is a text or a regular expression.
func newMatcher(query string, isExpr bool) (*matcher, error) {
	if len(query) > maxPattern {
		return nil, selectorErrorf("the query is too long: it may have %d bytes", maxPattern)
	}
	if !isExpr && isASCII(query) {
		return &matcher{lower: []byte(strings.ToLower(query))}, nil
	}
	if !isExpr {
		query = regexp.QuoteMeta(query)
	}
	expr, parsed, size := compile("(?i)" + query)
	if expr == nil {
		return nil, selectorErrorf("query is not a regular expression that works here (syntax of Go, RE2), or is too large; without regexp it is plain text")
	}
	return &matcher{expr: expr, lower: []byte(strings.ToLower(required(parsed))), cost: size}, nil
}

// required returns a text of ASCII that every match of a regular expression has
// in upper or lower case, the longest that is easily found. It may be empty.
func required(expr *syntax.Regexp) (longest string) {
	switch {
	case expr.Op == syntax.OpLiteral:
		if s := string(expr.Rune); isASCII(s) {
			return s
		}
	case expr.Op == syntax.OpConcat, expr.Op == syntax.OpCapture, expr.Op == syntax.OpPlus, expr.Op == syntax.OpRepeat && expr.Min > 0:
		for _, sub := range expr.Sub {
			if s := required(sub); len(s) > len(longest) {
				longest = s
			}
		}
	}
	return longest
}

// compile compiles a regular expression of few bytes that does not become too
// large, and returns what it was parsed to and its size in instructions. The
// expression is nil if there is none.
func compile(pattern string) (expr *regexp.Regexp, parsed *syntax.Regexp, size int) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, nil, 0
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return nil, nil, 0
	}
	expr, err = regexp.Compile(pattern)
	if err != nil {
		return nil, nil, 0
	}
	return expr, parsed, len(prog.Inst)
}

// find returns the place of the first match in text, and -1 if there is none. It
// reads pieces that grow, so that what it reads is in proportion to how far it
// gets, and stops once too much work was done.
func (m *matcher) find(text []byte) (from, to int) {
	if len(text) < len(m.lower) {
		return -1, -1
	}
	for at, size := 0, minPiece; ; size = min(2*size, maxPiece) {
		end := min(len(text), at+size)
		if m.exhausted() {
			return -1, -1
		}
		from, to := m.findPiece(text[at:end])
		switch {
		case from >= 0 && (at+to < end || end == len(text) || m.expr == nil || size == maxPiece):
			return at + from, at + to
		case from >= 0: // it may go on after the piece, or the piece is not the end that it needs
			at += from
		case end == len(text):
			return -1, -1
		default:
			at += size - maxPattern // what stands across the edge is in both
		}
	}
}

// exhausted reports whether find gave up.
func (m *matcher) exhausted() bool { return m.work > maxMatchWork }

func (m *matcher) findPiece(piece []byte) (from, to int) {
	m.work += len(piece)
	if len(m.lower) > 0 {
		m.buf = appendLower(m.buf[:0], piece)
		from = bytes.Index(m.buf, m.lower)
	}
	if m.expr == nil || from < 0 {
		return from, from + len(m.lower)
	}
	m.work += len(piece) * m.cost
	if loc := m.expr.FindIndex(piece); loc != nil {
		return loc[0], loc[1]
	}
	return -1, -1
}

// appendLower appends text with the letters of ASCII in lower case.
func appendLower(dst, text []byte) []byte {
	n := len(dst)
	dst = append(dst, text...)
	for i, c := range dst[n:] {
		if 'A' <= c && c <= 'Z' {
			dst[n+i] = c + 'a' - 'A'
		}
	}
	return dst
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
