package view

import (
	"bytes"
	"context"
	"iter"

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
	e.charge(n + 16)
	return e.err == nil
}

// charge charges n bytes of work.
func (e *evaluation) charge(n int) {
	e.work -= n
	e.unasked += n
	if e.err == nil && e.work < 0 {
		e.err = errPathWork
	}
	if e.err == nil && e.unasked > 1<<20 {
		e.unasked = 0
		e.err = e.ctx.Err()
	}
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
		_, ok := e.descend(node, segments[0].selectors, next)
		return ok
	}
	return e.apply(node, segments[0].selectors, next)
}

// descend applies selectors to the node that data begins with and to all its descendants, parents first. It returns the
// end of the node, so that only the selectors, and not the descent, read through a node before its descendants.
func (e *evaluation) descend(data []byte, selectors []pathSelector, next func([]byte) bool) (end int, ok bool) {
	if c := data[0]; c != '{' && c != '[' {
		end = strictjson.Skip(data, 0)
		return end, e.spend(end)
	}
	if !e.spend(0) || !e.apply(data, selectors, next) {
		return 0, false
	}
	i, read := strictjson.SkipSpace(data, 1), 0
	for i < len(data) && data[i] != '}' && data[i] != ']' {
		if data[0] == '{' {
			i = strictjson.SkipSpace(data, strictjson.Skip(data, i)) // the colon
			i = strictjson.SkipSpace(data, i+1)
		}
		e.charge(i - read) // a key and blanks; the child asks whether to go on
		n, ok := e.descend(data[i:], selectors, next)
		if !ok {
			return 0, false
		}
		read = i + n
		i = strictjson.NextItem(data, read)
	}
	e.charge(i - read)
	return i + 1, e.err == nil
}

// apply calls next with the children of node that the selectors select. More data may follow the node.
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
		return e.children(node, func(child []byte) bool {
			if !s.filter.holds(e, child) {
				return e.err == nil
			}
			return next(child)
		})
	}
	return e.children(node, next)
}

// children calls next with all children of node.
func (e *evaluation) children(node []byte, next func(child []byte) bool) bool {
	for _, value := range e.items(node, node[0]) {
		if !next(value) {
			return false
		}
	}
	return e.err == nil
}

// items iterates over the children of node, with the keys of an object, if it begins with open. It charges all that it
// reads, blanks and keys too, and ends at an error.
func (e *evaluation) items(node []byte, open byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		if node[0] != open || open != '{' && open != '[' {
			return
		}
		i, read := strictjson.SkipSpace(node, 1), 0
		for i < len(node) && node[i] != '}' && node[i] != ']' {
			var key []byte
			if open == '{' {
				key = node[i:strictjson.Skip(node, i)]
				i = strictjson.SkipSpace(node, i+len(key)) // the colon
				i = strictjson.SkipSpace(node, i+1)
			}
			end := strictjson.Skip(node, i)
			if !e.spend(end-read) || !yield(key, node[i:end]) {
				return
			}
			i, read = strictjson.NextItem(node, end), end
		}
		e.charge(i - read)
	}
}

// named calls next with the members called name.
func (e *evaluation) named(node []byte, name string, next func([]byte) bool) bool {
	for key, value := range e.items(node, '{') {
		if isKey(key, name) && !next(value) {
			return false
		}
	}
	return e.err == nil
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
	for _, value := range e.items(node, '[') {
		if index == 0 {
			return next(value)
		}
		index--
	}
	return e.err == nil
}

// length counts the elements of node.
func (e *evaluation) length(node []byte) (n int, ok bool) {
	for range e.items(node, '[') {
		n++
	}
	return n, e.err == nil
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
	i := -1
	for _, value := range e.items(node, '[') {
		switch i++; {
		case i >= upper:
			return e.reverse(backwards, next)
		case i < first || (i-first)%step != 0:
		case s.step < 0:
			if backwards = append(backwards, value); !e.spend(500) { // nodes take memory
				return false
			}
		case !next(value):
			return false
		}
	}
	return e.err == nil && e.reverse(backwards, next)
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
