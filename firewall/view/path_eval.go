package view

import (
	"bytes"
	"context"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// An evaluation applies a path to a document. Work is the number of bytes that it may still read.
type evaluation struct {
	ctx     context.Context
	root    []byte
	work    int
	err     error
	unasked int // work since the last check of ctx
}

// spend charges n bytes and one step of work, and reports whether to go on.
func (e *evaluation) spend(n int) bool {
	n += 16
	e.work -= n
	e.unasked += n
	if e.err == nil && e.work < 0 {
		e.err = errPathWork
	}
	if e.err == nil && e.unasked > 1<<20 {
		e.unasked = 0
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

// walk applies segments to node. It reports whether to go on: visit has not returned false, and there is no error.
func (e *evaluation) walk(node []byte, segments []segment, visit func([]byte) bool) bool {
	if len(segments) == 0 {
		return visit(node)
	}
	if !e.spend(0) {
		return false
	}
	next := func(child []byte) bool { return e.walk(child, segments[1:], visit) }
	if segments[0].descend {
		return e.descend(node, segments[0].selectors, next)
	}
	return e.apply(node, segments[0].selectors, next)
}

// descend applies selectors to node and all its descendants, parents first.
func (e *evaluation) descend(node []byte, selectors []pathSelector, next func([]byte) bool) bool {
	if !e.apply(node, selectors, next) {
		return false
	}
	return e.children(node, func(_ int, child []byte) bool {
		if c := child[0]; c != '{' && c != '[' {
			return true
		}
		return e.descend(child, selectors, next)
	})
}

// apply calls next with the children of node that the selectors select.
func (e *evaluation) apply(node []byte, selectors []pathSelector, next func([]byte) bool) bool {
	for i := range selectors {
		if !e.selectFrom(node, &selectors[i], next) {
			return false
		}
	}
	return true
}

func (e *evaluation) selectFrom(node []byte, s *pathSelector, next func([]byte) bool) bool {
	switch s.kind {
	case selectName:
		return e.named(node, s.name, next)
	case selectIndex:
		return e.indexed(node, s.index, next)
	case selectSlice:
		return e.sliced(node, s.slice, next)
	case selectFilter:
		return e.children(node, func(_ int, child []byte) bool {
			if !s.filter.holds(e, child) {
				return e.err == nil
			}
			return next(child)
		})
	}
	return e.children(node, func(_ int, child []byte) bool { return next(child) })
}

// children calls next with all children of node.
func (e *evaluation) children(node []byte, next func(i int, child []byte) bool) bool {
	if node[0] == '{' {
		for key, value := range strictjson.RawMembers(node) {
			if !e.spend(len(key)+len(value)) || !next(0, value) {
				return false
			}
		}
		return true
	}
	for i, value := range strictjson.Elements(node) {
		if !e.spend(len(value)) || !next(i, value) {
			return false
		}
	}
	return true
}

// named calls next with the members called name.
func (e *evaluation) named(node []byte, name string, next func([]byte) bool) bool {
	for key, value := range strictjson.RawMembers(node) {
		if !e.spend(len(key) + len(value)) {
			return false
		}
		if isKey(key, name) && !next(value) {
			return false
		}
	}
	return true
}

// isKey reports whether a quoted key stands for name.
func isKey(key []byte, name string) bool {
	if part := key[1 : len(key)-1]; len(part) == len(name) {
		if string(part) == name {
			return true
		}
	} else if len(part) < len(name) {
		return false // an escape is never shorter than its character
	}
	return bytes.IndexByte(key, '\\') >= 0 && strictjson.Text(key) == name
}

// indexed calls next with the element at index. A negative index counts from the end.
func (e *evaluation) indexed(node []byte, index int, next func([]byte) bool) bool {
	if index < 0 {
		n, ok := e.length(node)
		if index += n; !ok || index < 0 {
			return ok
		}
	}
	for i, value := range strictjson.Elements(node) {
		if !e.spend(len(value)) {
			return false
		}
		if i == index {
			return next(value)
		}
	}
	return true
}

// length counts the elements of node.
func (e *evaluation) length(node []byte) (n int, ok bool) {
	for _, value := range strictjson.Elements(node) {
		if !e.spend(len(value)) {
			return 0, false
		}
		n++
	}
	return n, true
}

// sliced calls next with the elements of a slice.
func (e *evaluation) sliced(node []byte, s slice, next func([]byte) bool) bool {
	n, ok := e.length(node)
	lower, upper := s.bounds(n)
	if !ok || s.step == 0 || lower >= upper {
		return ok
	}
	first := lower
	step := s.step
	if step < 0 { // collect the elements from lower to upper; upper-1 is always selected
		step = -step
		first = upper - 1 - (upper-1-lower)/step*step
	}
	var backwards [][]byte
	for i, value := range strictjson.Elements(node) {
		switch {
		case i >= upper:
			return e.reverse(backwards, next)
		case !e.spend(len(value)):
			return false
		case i < first || (i-first)%step != 0:
		case s.step < 0:
			if backwards = append(backwards, value); !e.spend(500) { // nodes take memory
				return false
			}
		case !next(value):
			return false
		}
	}
	return e.reverse(backwards, next)
}

// reverse calls next with the nodes, last one first.
func (e *evaluation) reverse(nodes [][]byte, next func([]byte) bool) bool {
	for i := len(nodes) - 1; i >= 0; i-- {
		if !next(nodes[i]) {
			return false
		}
	}
	return true
}

// bounds returns the index range lower <= i < upper that a slice selects from an array of n elements (RFC 9535, section
// 2.3.4.2). A negative step begins at upper-1.
func (s slice) bounds(n int) (lower, upper int) {
	at := func(p *int, otherwise int) int {
		switch {
		case p == nil:
			return otherwise
		case *p < 0:
			return n + *p
		}
		return *p
	}
	if s.step >= 0 {
		return clamp(at(s.start, 0), 0, n), clamp(at(s.end, n), 0, n)
	}
	return clamp(at(s.end, -1), -1, n-1) + 1, clamp(at(s.start, n-1), -1, n-1) + 1
}

func clamp(n, low, high int) int { return min(max(n, low), high) }
