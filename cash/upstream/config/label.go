package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A fileLabel is a label with its place in the file.
type fileLabel struct {
	scalar
	key string // canonical form; empty if invalid
}

const labelRule = "labels are one or more ASCII letters, digits and underscores, joined by dots"

// label returns the label of an entry. Variables are not expanded: the file alone decides the shape of the tree.
func (m *mapping) label() fileLabel {
	n, field := m.lookup("label")
	if n == nil {
		return fileLabel{}
	}
	l := fileLabel{scalar: scalar{n, field, n.Value}}
	if !m.plain(l.scalar) {
		return l
	}
	key, ok := registry.CanonicalPath(l.text)
	if !ok || key == "" {
		m.refuse(l.scalar, "%s is not a label: %s", quoteSource(l.text), labelRule)
	}
	l.key = key
	return l
}

// checkLabels notes labels that are equal, or that lie below another (RFC 5.4).
func (r *reader) checkLabels() {
	// A path sorts right before all paths below it. So each label is compared only with the last one that is not
	// below another.
	slices.SortStableFunc(r.labels, func(a, b fileLabel) int { return strings.Compare(a.key+".", b.key+".") })
	var top fileLabel
	for _, l := range r.labels {
		if top.node == nil || !strings.HasPrefix(l.key+".", top.key+".") {
			top = l
			continue
		}
		first, second := top, l
		if first.node.Line > second.node.Line {
			first, second = second, first
		}
		place := fmt.Sprintf("%s in line %d", quoteSource(first.text), first.node.Line)
		if l.key == top.key {
			r.refuse(second.scalar, "%s is the same label as %s: give each its own", quoteSource(second.text), place)
		} else {
			r.refuse(second.scalar, "%s and %s overlap, as one stands below the other: move one", quoteSource(second.text), place)
		}
	}
}
