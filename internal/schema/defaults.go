package schema

import (
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// HasDefaults reports whether WithDefaults may add anything.
func (s *Schema) HasDefaults() bool {
	return s.root.target().fills
}

// Converts reports whether Native may change anything.
func (s *Schema) Converts() bool {
	return s.root.target().converts
}

// mark marks the nodes of a Go type with a default, or a value to convert, at or below them. The nodes of recursive types
// form cycles, so it goes on until nothing changes.
func mark(root *node) {
	for m := (marker{changed: true}); m.changed; {
		m.changed, m.seen = false, map[*node]bool{}
		m.visit(root)
	}
}

// A marker is one pass of mark.
type marker struct {
	seen    map[*node]bool
	changed bool
}

func (m *marker) visit(n *node) {
	if n == nil || m.seen[n] {
		return
	}
	m.seen[n] = true
	fills, converts := n.fills, n.converts
	if n.facts != nil && (n.facts.convert != nil || n.facts.wrap != "") {
		n.converts = true
	}
	if n.facts == nil || n.facts.decode == nil { // a type that decodes itself handles its own values
		if n.object != nil {
			markTop(n)
			for _, rule := range n.object.names {
				m.below(n, rule.node)
			}
			m.below(n, n.object.additional)
		}
		if n.array != nil {
			m.below(n, n.array.items)
		}
		if next := n.stands(); next != n {
			m.below(n, next)
		}
	}
	m.changed = m.changed || fills != n.fills || converts != n.converts
}

// below marks a node below n, and then n.
func (m *marker) below(n, sub *node) {
	m.visit(sub)
	if sub != nil {
		n.fills, n.converts = n.fills || sub.fills, n.converts || sub.converts
	}
}

// stands returns the node that describes the values of n: the target of a reference to a recursive type, also beside
// null. It is n itself if n has no reference, or rules of its own, as in foreign schemas.
func (n *node) stands() *node {
	switch p := n.inPlace; {
	case p == nil || n.types != 0 || n.object != nil || n.array != nil:
	case p.ref != nil:
		return p.ref
	case len(p.anyOf) == 2 && p.anyOf[1].types == typeOf(strictjson.Null) && p.anyOf[0].inPlace != nil && p.anyOf[0].inPlace.ref != nil:
		return p.anyOf[0].inPlace.ref
	}
	return n
}

// markTop is markDefaults for the top level of a foreign schema.
func markTop(n *node) {
	if n.object == nil {
		return
	}
	for i := range n.object.names[:n.object.properties] {
		if rule := &n.object.names[i]; rule.node.about.def != nil {
			rule.quoted, n.fills = quoteJSON(rule.name), true
		}
	}
}

// WithDefaults returns data with its missing members that have a default. Check must have accepted data. New members
// follow the existing ones, whose order and spelling stay. It returns data itself if nothing is missing.
//
// For Go types it also fills existing nested objects, maps and arrays. For foreign schemas it fills the top level only;
// their defaults are unchecked and may break their own rules.
func (s *Schema) WithDefaults(data []byte) []byte {
	levels := 0
	if s.typed {
		levels = strictjson.MaxDepth
	}
	return fill(s.root.target(), data, levels)
}

// Native returns data as encoding/json decodes it into the Go type, which differs for a time.Duration as text, a url.URL
// and others ([Schema.Converts]). Check must have accepted data.
func (s *Schema) Native(data []byte) []byte {
	f := filler{data: data, levels: strictjson.MaxDepth, native: true}
	return f.run(s.root.target())
}

// fill is WithDefaults for one node, down to the given number of levels.
func fill(n *node, data []byte, levels int) []byte {
	f := filler{data: data, levels: levels}
	return f.run(n)
}

// A filler copies a document while it inserts members, or converts values.
type filler struct {
	levels int  // levels to fill below the top
	native bool // convert values, instead of inserting members
	data   []byte
	out    []byte // nil until the first change
	copied int    // data before this index was copied to out
}

func (f *filler) run(n *node) []byte {
	f.value(n, strictjson.SkipSpace(f.data, 0), 0)
	if f.out == nil {
		return f.data
	}
	return append(f.out, f.data[f.copied:]...)
}

// value fills the value at i and returns the index after it.
func (f *filler) value(n *node, i, depth int) int {
	if !(f.native && n.converts || !f.native && n.fills) || depth > f.levels || i >= len(f.data) {
		return strictjson.Skip(f.data, i)
	}
	if f.native && n.facts != nil && n.facts.wrap != "" && f.data[i] != 'n' {
		f.replace(i, i, append(append([]byte{'{'}, quoteJSON(n.facts.wrap)...), ':'))
		end := f.inner(n, i, depth)
		f.replace(end, end, []byte(`,"Valid":true}`))
		return end
	}
	return f.inner(n, i, depth)
}

// inner is value without the object around a value.
func (f *filler) inner(n *node, i, depth int) int {
	if f.native && n.facts != nil && n.facts.convert != nil {
		end := strictjson.Skip(f.data, i)
		f.replace(i, end, n.facts.convert(f.data[i:end]))
		return end
	}
	if next := n.stands(); next != n {
		return f.value(next, i, depth) // which may be a reference again
	}
	switch f.data[i] {
	case '{':
		if n.object != nil {
			return f.object(n.object, i, depth)
		}
	case '[':
		if n.array != nil && n.array.items != nil {
			return f.array(n.array.items, i, depth)
		}
	}
	return strictjson.Skip(f.data, i)
}

// object fills an object and its members.
func (f *filler) object(r *objectRules, i, depth int) int {
	v := run{data: f.data}
	var few [2]uint64
	seen := bits(few[:])
	if words := (len(r.names) + 63) / 64; words > len(few) {
		seen = make(bits, words)
	}
	last, count := i+1, 0 // last is the index after the last member
	for i = strictjson.SkipSpace(f.data, i+1); v.at(i) == '"'; count++ {
		m := v.memberAt(i)
		m.name = v.findName(r, m, count)
		last = f.member(r, m, depth)
		if m.name >= 0 {
			seen.set(m.name)
		}
		i = strictjson.NextItem(f.data, last)
	}
	for k, rule := range r.names[:r.properties] {
		if !f.native && rule.node.about.def != nil && !seen.has(k) {
			f.insert(last, count > 0, rule)
			count++
		}
	}
	return min(i+1, len(f.data))
}

// member fills the value of a member and returns the index after it.
func (f *filler) member(r *objectRules, m memberAt, depth int) int {
	n := anyNode
	switch {
	case m.name >= 0 && m.name < r.properties:
		n = r.names[m.name].node
	case r.additional != nil:
		n = r.additional
	}
	return f.value(n, m.value, depth+1)
}

// array fills the elements of an array.
func (f *filler) array(n *node, i, depth int) int {
	for i = strictjson.SkipSpace(f.data, i+1); i < len(f.data) && f.data[i] != ']'; {
		end := f.value(n, i, depth+1)
		if end == i {
			return len(f.data) // strictjson.Check would have rejected it
		}
		i = strictjson.NextItem(f.data, end)
	}
	return min(i+1, len(f.data))
}

// insert inserts a member at index i of data.
func (f *filler) insert(i int, comma bool, rule nameRule) {
	f.replace(i, i, nil)
	if comma {
		f.out = append(f.out, ',')
	}
	f.out = append(append(f.out, rule.quoted...), ':')
	f.out = append(f.out, rule.node.about.def...)
}

// replace writes text in place of data[i:end].
func (f *filler) replace(i, end int, text []byte) {
	if f.out == nil {
		f.out = make([]byte, 0, len(f.data)+64)
	}
	f.out = append(append(f.out, f.data[f.copied:i]...), text...)
	f.copied = end
}

// appendQuoted appends a JSON string.
func appendQuoted(dst []byte, text string) []byte {
	return append(dst, strictjson.MustMarshal(text)...)
}
