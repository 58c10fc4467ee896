package manifest

import (
	"bytes"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// readJSON converts strict JSON into the nodes of the same YAML document, so that one decoder serves both.
func readJSON(data []byte) *yaml.Node {
	r := jsonReader{data: data, line: 1, column: 1}
	top, _ := r.value(strictjson.SkipSpace(data, 0))
	return top
}

// A jsonReader tracks the line up to a position. Positions are requested in ascending order.
type jsonReader struct {
	data                  []byte
	counted, line, column int
}

// value returns the node of the value at i, and the index after it.
func (r *jsonReader) value(i int) (*yaml.Node, int) {
	n := r.node(i)
	switch strictjson.KindOf(r.data[i:]) {
	case strictjson.Object:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		return n, r.items(n, i, '}')
	case strictjson.Array:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		return n, r.items(n, i, ']')
	}
	end := strictjson.Skip(r.data, i)
	r.scalar(n, r.data[i:end])
	return n, end
}

// items adds the contents of a container at i to its node: elements, or alternating keys and values. It returns the
// index after the container.
func (r *jsonReader) items(n *yaml.Node, i int, end byte) int {
	for i = strictjson.SkipSpace(r.data, i+1); r.data[i] != end; i = strictjson.NextItem(r.data, i) {
		var item *yaml.Node
		if end == '}' {
			item, i = r.value(i)
			n.Content = append(n.Content, item)
			i = strictjson.SkipSpace(r.data, i)   // the colon
			i = strictjson.SkipSpace(r.data, i+1) // the value
		}
		item, i = r.value(i)
		n.Content = append(n.Content, item)
	}
	return i + 1
}

func (r *jsonReader) scalar(n *yaml.Node, text []byte) {
	n.Kind, n.Tag = yaml.ScalarNode, "!!str"
	switch strictjson.KindOf(text) {
	case strictjson.String:
		n.Value = strictjson.Text(text)
		return
	case strictjson.Null:
		n.Tag = "!!null"
	}
	n.Value = string(text)
}

// node returns a node for position i.
func (r *jsonReader) node(i int) *yaml.Node {
	passed := r.data[r.counted:i]
	if nl := bytes.LastIndexByte(passed, '\n'); nl >= 0 {
		r.line += bytes.Count(passed, []byte{'\n'})
		r.column = 1
		passed = passed[nl+1:]
	}
	r.column += utf8.RuneCount(passed)
	r.counted = i
	return &yaml.Node{Line: r.line, Column: r.column}
}
