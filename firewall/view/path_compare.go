package view

import (
	"bytes"
	"cmp"
	"iter"
	"strconv"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// holds compares two values (RFC 9535, section 2.3.5.2.2).
func (c compare) holds(e *evaluation, node []byte) bool {
	left, right := c.left.value(e, node), c.right.value(e, node)
	switch c.op {
	case "==":
		return e.equal(left, right)
	case "!=":
		return !e.equal(left, right) && e.err == nil
	case "<":
		return less(left, right)
	case ">":
		return less(right, left)
	case "<=":
		return less(left, right) || e.equal(left, right)
	}
	return less(right, left) || e.equal(left, right)
}

// order compares two numbers or two strings. For other values ok is false.
func order(a, b []byte) (n int, ok bool) {
	if a == nil || b == nil || strictjson.KindOf(a) != strictjson.KindOf(b) {
		return 0, false
	}
	switch strictjson.KindOf(a) {
	case strictjson.Number:
		return compareNumbers(a, b), true
	case strictjson.String:
		return bytes.Compare(inner(a), inner(b)), true
	}
	return 0, false
}

// less reports whether a comes before b.
func less(a, b []byte) bool {
	n, ok := order(a, b)
	return ok && n < 0
}

// equal reports whether two values are equal. A missing value equals a missing value. It is false when no work is left.
func (e *evaluation) equal(a, b []byte) bool {
	if !e.spend(len(a) + len(b)) {
		return false
	}
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if n, ok := order(a, b); ok {
		return n == 0
	}
	switch kind := strictjson.KindOf(a); {
	case kind != strictjson.KindOf(b):
		return false
	case kind == strictjson.Array:
		return e.equalArrays(a, b)
	case kind == strictjson.Object:
		return e.equalObjects(a, b)
	}
	return bytes.Equal(a, b)
}

func (e *evaluation) equalArrays(a, b []byte) bool {
	next, stop := iter.Pull2(strictjson.Elements(b))
	defer stop()
	for _, element := range strictjson.Elements(a) {
		if _, other, ok := next(); !ok || !e.equal(element, other) {
			return false
		}
	}
	_, _, more := next()
	return !more
}

// equalObjects uses the last of duplicate members.
func (e *evaluation) equalObjects(a, b []byte) bool {
	own, others := e.members(a), e.members(b)
	if len(own) != len(others) {
		return false
	}
	for key, value := range own {
		if other, ok := others[key]; !ok || !e.equal(value, other) {
			return false
		}
	}
	return true
}

// members returns the members of an object by name.
func (e *evaluation) members(object []byte) map[string][]byte {
	all := map[string][]byte{}
	for key, value := range strictjson.RawMembers(object) {
		if !e.spend(1000) { // a map takes memory
			break
		}
		all[string(inner(key))] = value
	}
	return all
}

// compareNumbers compares integers exactly, and other numbers as float64.
func compareNumbers(a, b []byte) int {
	if n, ok := integer(a); ok {
		if m, ok := integer(b); ok {
			return cmp.Compare(n, m)
		}
	}
	x, _ := strconv.ParseFloat(string(a), 64)
	y, _ := strconv.ParseFloat(string(b), 64)
	return cmp.Compare(x, y)
}

func integer(raw []byte) (int64, bool) {
	if len(raw) > 20 || bytes.ContainsAny(raw, ".eE") {
		return 0, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}
