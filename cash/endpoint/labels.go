package endpoint

import (
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
)

// A named is a tool with the label of its function.
type named struct {
	*Descriptor
	label string
}

// takeLabels gives each tool a label. It returns them sorted by name, names that are labels already first, so that
// the order of the list does not matter.
func takeLabels(set *label.Set, tools []Descriptor) []named {
	wants := make([]label.Want, len(tools))
	for i := range tools {
		name := tools[i].Name
		l := label.From(name, "tool")
		wants[i] = label.Want{Key: name, Label: l, Exact: l == name}
	}
	var exact, others []named
	for i, l := range set.TakeAll(wants) {
		if n := (named{&tools[i], l}); wants[i].Exact {
			exact = append(exact, n)
		} else {
			others = append(others, n)
		}
	}
	byName := func(a, b named) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(exact, byName)
	slices.SortFunc(others, byName)
	return append(exact, others...)
}

func canonical(name string) string {
	c, _ := registry.Canonical(name)
	return c
}

// sameName reports whether two names are equal, or paths of one canonical form.
func sameName(a, b string) bool {
	p, isPath := registry.CanonicalPath(a)
	q, _ := registry.CanonicalPath(b)
	return a == b || isPath && p != "" && p == q
}
