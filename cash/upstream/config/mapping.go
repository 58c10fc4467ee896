package config

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/spelling"
	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// A mapping is a YAML mapping and the name of its field.
type mapping struct {
	*reader
	field string
	node  *yaml.Node
	keys  []string // the keys that were looked up
}

// asMapping returns n as a mapping; an empty one, with a problem noted, if n is something else.
func (r *reader) asMapping(n *yaml.Node, field string) *mapping {
	if n.Kind != yaml.MappingNode {
		r.fail(n, field, "%s where keys with values are wanted", strictyaml.Describe(n))
		n = &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column}
	}
	m := &mapping{reader: r, field: field, node: n}
	r.visited[n], r.places[field] = m, n
	return m
}

// lookup returns the value of a key and the field that it is; nil if the key is
// absent or null.
func (m *mapping) lookup(key string) (*yaml.Node, string) {
	if !slices.Contains(m.keys, key) {
		m.keys = append(m.keys, key)
	}
	field := strings.TrimPrefix(m.field+"."+key, ".")
	if n := m.written(key); n != nil && !strictyaml.IsNull(n) {
		return n, field
	}
	return nil, field
}

// written returns the value of a key, which may be null; nil if the key is absent.
func (m *mapping) written(key string) *yaml.Node {
	for i := 0; i+1 < len(m.node.Content); i += 2 {
		if m.node.Content[i].Value == key {
			return m.node.Content[i+1]
		}
	}
	return nil
}

func (m *mapping) has(key string) bool {
	n, _ := m.lookup(key)
	return n != nil
}

// missing notes that a required key is absent.
func (m *mapping) missing(key string) {
	_, field := m.lookup(key)
	m.fail(m.node, field, "missing; it is required")
}

// finish notes the keys that were never looked up: they are unknown.
func (m *mapping) finish() {
	for i := 0; i < len(m.node.Content) && !m.full(); i += 2 {
		if key := m.node.Content[i]; !slices.Contains(m.keys, key.Value) {
			m.fail(key, m.field, "unknown key %s: %s", quoteSource(key.Value), m.meant(key.Value))
		}
	}
}

// meant suggests a known key that is spelled like an unknown one.
func (m *mapping) meant(key string) string {
	key = strings.ToLower(strings.ReplaceAll(key, "-", "_"))
	best, distance := "", 3
	for _, k := range m.keys {
		if d := spelling.Distance(key, k, 2); d < distance && 2*d < len(k) {
			best, distance = k, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "the keys here are " + strings.Join(m.keys, ", ")
}

// mappings returns the mappings in a list.
func (m *mapping) mappings(key string, most int) []*mapping {
	nodes, field := m.list(key)
	if len(nodes) > most {
		m.fail(nodes[most], field, "%d entries; at most %d are allowed", len(nodes), most)
		return nil
	}
	var list []*mapping
	for i, n := range nodes {
		if e := m.asMapping(n, element(field, i)); e.node == n {
			list = append(list, e)
		}
	}
	return list
}

// list returns the elements of a sequence.
func (m *mapping) list(key string) ([]*yaml.Node, string) {
	n, field := m.lookup(key)
	switch {
	case n == nil:
		return nil, field
	case n.Kind != yaml.SequenceNode:
		m.fail(n, field, "%s where a list is wanted", strictyaml.Describe(n))
		return nil, field
	}
	return n.Content, field
}

func element(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }
