package endpoint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// maxLabel bounds a label that is made of a name, in bytes.
const maxLabel = 64

// byName returns the order in which tools take their labels: those whose names
// are labels first, each by name. So labels do not depend on the order of a list.
func byName(tools []Descriptor) []int {
	order := make([]int, len(tools))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		if label(tools[i].Name) == tools[i].Name {
			return 0
		}
		return 1
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(rank(i)-rank(j), strings.Compare(tools[i].Name, tools[j].Name))
	})
	return order
}

// labels gives out labels, no two of which have the same canonical form.
type labels struct {
	taken map[string]bool
	next  map[string]int // the number to try next, so that many of one name cost no search
}

func newLabels() *labels {
	return &labels{make(map[string]bool), make(map[string]int)}
}

// take returns the label that a name makes, with a number if it is taken.
func (l *labels) take(name string) string {
	base := label(name)
	key := canonical(base)
	out, n := base, max(l.next[key], 2)
	for ; l.taken[canonical(out)]; n++ {
		out = fmt.Sprintf("%s_%d", base, n)
	}
	l.next[key] = n
	l.taken[canonical(out)] = true
	return out
}

// label returns the label that a name makes: it is kept where it is one. Other
// characters become underscores, several of them one, and none stands at an end.
func label(name string) string {
	if canonical(name) != "" && len(name) <= maxLabel {
		return name
	}
	var b strings.Builder
	gap := false
	for i := range min(len(name), 4*maxLabel) {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteByte(c)
		} else {
			gap = true
		}
	}
	out := b.String()
	out = out[:min(len(out), maxLabel)]
	if canonical(out) == "" {
		return "tool"
	}
	return out
}

func canonical(label string) string {
	c, _ := registry.Canonical(label)
	return c
}
