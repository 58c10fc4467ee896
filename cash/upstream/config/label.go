package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A fileLabel is a label where it stands in the file.
type fileLabel struct {
	scalar
	key string // canonical; empty if there is none
}

const labelRule = "labels are one or more ASCII letters, digits and underscores, joined by dots"

// label returns the label of an entry, in which variables mean nothing: what is
// where in the tree is for the file to say.
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

// checkLabels notes labels that are the same, or one of which stands below
// another (RFC 5.4).
func (r *reader) checkLabels() {
	// A path comes right before all that is below it, so that only the last one
	// that is below none of the others needs to be compared.
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
