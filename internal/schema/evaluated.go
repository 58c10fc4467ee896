package schema

import "github.com/cash-mcp/go-sdk/internal/strictjson"

// bits is a set of small numbers.
type bits []uint64

func (b bits) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bits) has(i int) bool { return i/64 < len(b) && b[i/64]&(1<<(i%64)) != 0 }

// evaluated collects the positions of the members of one object, or the elements of one array, that some subschema has
// evaluated. A nil *evaluated collects nothing.
type evaluated struct{ seen bits }

func (e *evaluated) mark(i int) {
	if e == nil {
		return
	}
	for len(e.seen) <= i/64 {
		e.seen = append(e.seen, 0)
	}
	e.seen.set(i)
}

// merge adds the positions that another subschema has evaluated.
func (e *evaluated) merge(other *evaluated) {
	if e == nil || other == nil {
		return
	}
	for len(e.seen) < len(other.seen) {
		e.seen = append(e.seen, 0)
	}
	for i, word := range other.seen {
		e.seen[i] |= word
	}
}

// branch returns a collector for a subschema that may fail.
func (e *evaluated) branch() *evaluated {
	if e == nil {
		return nil
	}
	return new(evaluated)
}

// tracked checks a node with unevaluatedItems or unevaluatedProperties. Only evaluations by this node and its
// subschemas count, not those by its siblings.
func (v *run) tracked(n *node, kind strictjson.Kind, i int, outer *evaluated) (int, bool) {
	ev := new(evaluated)
	end, ok := v.rules(n, kind, i, ev)
	if !ok && v.stopped() {
		return end, false
	}
	if !v.spend(len(ev.seen)) {
		return end, false
	}
	if kind == strictjson.Object && n.unevaluatedProps != nil {
		ok = v.restOfObject(n, i, ev) && ok
	}
	if kind == strictjson.Array && n.unevaluatedItems != nil {
		ok = v.restOfArray(n, i, ev) && ok
	}
	outer.merge(ev)
	return end, ok
}

// restOfObject applies unevaluatedProperties.
func (v *run) restOfObject(n *node, i int, ev *evaluated) bool {
	ok := true
	index := 0
	for i = strictjson.SkipSpace(v.data, i+1); v.at(i) == '"'; index++ {
		m := v.memberAt(i)
		if !ev.seen.has(index) {
			v.push(m.key, m.keyEnd)
			ok = v.rest(n.unevaluatedProps, "unevaluatedProperties", m.value) && ok
			v.pop()
			ev.mark(index)
		}
		if !v.spend(1) || !ok && v.stopped() {
			return false
		}
		i = strictjson.NextItem(v.data, v.over(m.value))
	}
	return ok
}

// restOfArray applies unevaluatedItems.
func (v *run) restOfArray(n *node, i int, ev *evaluated) bool {
	ok := true
	index := 0
	for i = strictjson.SkipSpace(v.data, i+1); i < len(v.data) && v.data[i] != ']'; index++ {
		if !ev.seen.has(index) {
			v.push(index, 0)
			ok = v.rest(n.unevaluatedItems, "unevaluatedItems", i) && ok
			v.pop()
			ev.mark(index)
		}
		if !v.spend(1) || !ok && v.stopped() {
			return false
		}
		i = strictjson.NextItem(v.data, v.over(i))
	}
	return ok
}

// rest checks one value that no subschema has evaluated.
func (v *run) rest(n *node, rule string, i int) bool {
	if n.never {
		return v.fail(rule, func() string { return "unknown here; leave it out" })
	}
	_, ok := v.value(n, i, nil)
	return ok
}
