package view

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds of a regular expression. Its time is proportional to the size of the expression times that of the text.
const (
	maxInstructions = 1000
	maxPattern      = 500     // bytes
	maxMatchWork    = 1 << 29 // instructions times bytes, for one view
	minPiece        = 1 << 11 // bytes that are matched at once
	maxPiece        = 1 << 16
)

// A matcher finds a query in text. Only one goroutine may use it.
type matcher struct {
	expr  *regexp.Regexp // nil if the query is plain text
	lower []byte         // the query in lower case, or a literal that every match of expr contains
	buf   []byte         // text in lower case
	cost  int            // instructions of expr
	work  int            // work done so far
}

// newMatcher parses a query: plain text or a regular expression.
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

// required returns the longest ASCII literal found that every match of a regular expression contains, in upper or lower
// case. It may be empty.
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

// compile compiles a short regular expression. It returns nil if the expression is invalid or compiles to too many
// instructions, its syntax tree, and its size in instructions.
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

// find returns the place of the first match in text, or -1. It reads pieces of growing size, so that the work is
// proportional to the place of the match. It stops when too much work was done.
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
		case from >= 0: // the match may go on after the piece, or need the real end of the text
			at += from
		case end == len(text):
			return -1, -1
		default:
			at += size - maxPattern // pieces overlap, so that no match is lost at an edge
		}
	}
}

// exhausted reports whether find gave up because of too much work.
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

// appendLower appends text with ASCII letters in lower case.
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
