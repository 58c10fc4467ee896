package schema

import (
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// HasDefaults reports whether WithDefaults may add anything.
func (s *Schema) HasDefaults() bool {
	return s.root.target().fills
}

// markDefaults marks the nodes of a Go type with a default below them. The nodes form a tree, because recursive types
// are refused. A type that decodes itself handles its own defaults.
func markDefaults(n *node) bool {
	if n.facts != nil && n.facts.decode != nil {
		return false
	}
	if n.object != nil {
		markTop(n)
		for _, rule := range n.object.names {
			if rule.node != nil && markDefaults(rule.node) {
				n.fills = true
			}
		}
		if n.object.additional != nil && markDefaults(n.object.additional) {
			n.fills = true
		}
	}
	if n.array != nil && n.array.items != nil && markDefaults(n.array.items) {
		n.fills = true
	}
	return n.fills
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

// fill is WithDefaults for one node, down to the given number of levels.
func fill(n *node, data []byte, levels int) []byte {
	f := filler{data: data, levels: levels}
	f.value(n, strictjson.SkipSpace(data, 0), 0)
	if f.out == nil {
		return data
	}
	return append(f.out, data[f.copied:]...)
}

// A filler copies a document while it inserts members.
type filler struct {
	levels int // levels to fill below the top
	data   []byte
	out    []byte // nil until the first insertion
	copied int    // data before this index was copied to out
}

// value fills the value at i and returns the index after it.
func (f *filler) value(n *node, i, depth int) int {
	if !n.fills || depth > f.levels || i >= len(f.data) {
		return strictjson.Skip(f.data, i)
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
		if rule.node.about.def != nil && !seen.has(k) {
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
	if f.out == nil {
		f.out = make([]byte, 0, len(f.data)+64)
	}
	f.out = append(f.out, f.data[f.copied:i]...)
	f.copied = i
	if comma {
		f.out = append(f.out, ',')
	}
	f.out = append(append(f.out, rule.quoted...), ':')
	f.out = append(f.out, rule.node.about.def...)
}

// appendQuoted appends a JSON string.
func appendQuoted(dst []byte, text string) []byte {
	return append(dst, strictjson.MustMarshal(text)...)
}
