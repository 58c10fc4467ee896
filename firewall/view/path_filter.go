package view

import (
	"math"
	"regexp"
	"strconv"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A condition is a logical expression of a filter, true or false for a node.
type condition interface {
	// holds reports whether the condition is true of node. It is false once the evaluation has an error.
	holds(e *evaluation, node []byte) bool
}

// An operand has a value: valid JSON, or nil for none.
type operand interface {
	value(e *evaluation, node []byte) []byte
}

type (
	anyOf    []condition
	allOf    []condition
	negation struct{ condition }
	compare  struct {
		left  operand
		op    string
		right operand
	}
	// A query is true if it selects a node.
	query struct {
		path *jsonPath
		root bool // from the root instead of the node
	}
	literal []byte
	first   struct{ query }   // the value of a query that selects one node at most
	length  struct{ operand } // of a string in characters, of an array, of an object
	count   struct{ query }   // the number of nodes that a query selects
	only    struct{ query }   // the value of the only node that a query selects
)

func (c anyOf) holds(e *evaluation, node []byte) bool {
	for _, one := range c {
		if one.holds(e, node) {
			return true
		}
	}
	return false
}

func (c allOf) holds(e *evaluation, node []byte) bool {
	for _, one := range c {
		if !one.holds(e, node) {
			return false
		}
	}
	return e.err == nil
}

func (c negation) holds(e *evaluation, node []byte) bool {
	return !c.condition.holds(e, node) && e.err == nil
}

// nodes returns how many nodes the query selects, at most most, and the last of them.
func (q query) nodes(e *evaluation, node []byte, most int) (n int, last []byte) {
	if q.root {
		node = e.root
	}
	e.walk(node, q.path.segments, func(found []byte) bool {
		n, last = n+1, found
		return n < most
	})
	return n, last
}

func (q query) holds(e *evaluation, node []byte) bool {
	n, _ := q.nodes(e, node, 1)
	return n > 0 && e.err == nil
}

func (l literal) value(*evaluation, []byte) []byte { return l }

func (f first) value(e *evaluation, node []byte) []byte {
	_, value := f.nodes(e, node, 1)
	return value
}

func (l length) value(e *evaluation, node []byte) []byte {
	n := 0
	switch of := l.operand.value(e, node); {
	case of == nil || !e.spend(len(of)):
		return nil
	case of[0] == '"':
		n = clean.Runes(inner(of))
	case of[0] == '[' || of[0] == '{':
		n = size(of)
	default:
		return nil
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

// size counts the elements or members of a value.
func size(raw []byte) (n int) {
	for range strictjson.Elements(raw) {
		n++
	}
	for range strictjson.RawMembers(raw) {
		n++
	}
	return n
}

func (c count) value(e *evaluation, node []byte) []byte {
	n, _ := c.nodes(e, node, math.MaxInt)
	return strconv.AppendInt(nil, int64(n), 10)
}

func (o only) value(e *evaluation, node []byte) []byte {
	if n, value := o.nodes(e, node, 2); n == 1 {
		return value
	}
	return nil
}

// A matching is the function match or search. It caches the last compiled expression.
type matching struct {
	text, pattern operand
	whole         bool
	last          string
	expr          *regexp.Regexp // nil if last is not a valid expression
	cost          int
}

func newMatching(text, pattern operand, whole bool) *matching {
	return &matching{text: text, pattern: pattern, whole: whole, last: "\xff"}
}

func (m *matching) holds(e *evaluation, node []byte) bool {
	text, pattern := m.text.value(e, node), m.pattern.value(e, node)
	if text == nil || pattern == nil || text[0] != '"' || pattern[0] != '"' || len(pattern) > 2*maxPattern {
		return false
	}
	m.compile(e, string(inner(pattern)))
	if m.expr == nil || !e.spend(len(text)*m.cost) {
		return false
	}
	return m.expr.Match(inner(text))
}

// compile sets expr to the compiled pattern.
func (m *matching) compile(e *evaluation, pattern string) {
	if pattern == m.last {
		return
	}
	m.last, m.expr = pattern, nil
	if !e.spend(100 * (100 + len(pattern))) {
		return
	}
	if m.whole {
		pattern = `\A(?:` + pattern + `)\z`
	}
	m.expr, _, m.cost = compile(pattern)
}
