package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// maxLabel bounds a label that is made of a name, in bytes.
const maxLabel = 64

// labels returns the labels of the entries, and enters those of their namespaces
// into c. They depend on what is in the document and on what was there before,
// and not on the order.
func (b *batch) labels(c *content) []string {
	byNamespace := make(map[string][]int)
	for i, e := range b.entries {
		if e.id != (toolid.Primitive{}) {
			byNamespace[e.id.Namespace] = append(byNamespace[e.id.Namespace], i)
		}
	}
	var namespaces []wanted
	for namespace := range byNamespace {
		namespaces = append(namespaces, wanted{namespace, namespace, b.had.namespaces[namespace]})
	}
	for i, l := range distinct(namespaces) {
		c.namespaces[namespaces[i].key] = l
	}
	labels := make([]string, len(b.entries))
	for namespace, entries := range byNamespace {
		functions := make([]wanted, len(entries))
		for j, i := range entries {
			e := b.entries[i]
			functions[j] = wanted{e.key, e.id.Name, ""}
			if was := b.had.served[e.key]; was != nil && was.id.Namespace == namespace {
				functions[j].had = was.label
			}
		}
		for j, l := range distinct(functions) {
			labels[entries[j]] = l
		}
	}
	return labels
}

// wanted is something that wants a label.
type wanted struct {
	key  string // all are different
	name string // that the label is made of
	had  string // the label so far; empty is none
}

// distinct returns labels, no two of which have the same canonical form. Those
// that had one keep it, then come those that are labels as they are; others
// that would be the same get numbers.
func distinct(list []wanted) []string {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	rank := func(w wanted) int {
		switch {
		case w.had != "":
			return 0
		case label(w.name) == w.name:
			return 1
		}
		return 2
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(rank(list[i])-rank(list[j]), strings.Compare(list[i].key, list[j].key))
	})
	labels := make([]string, len(list))
	taken := make(map[string]bool, len(list))
	next := make(map[string]int) // the number to try next, so that many of one name cost no search
	for _, i := range order {
		base := cmp.Or(list[i].had, label(list[i].name))
		l, n := base, max(next[canonical(base)], 2)
		for ; taken[canonical(l)]; n++ {
			l = fmt.Sprintf("%s_%d", base, n)
		}
		next[canonical(base)] = n
		taken[canonical(l)] = true
		labels[i] = l
	}
	return labels
}

// label makes a label of a part of an id: what may not stand in one becomes an
// underscore.
func label(name string) string {
	l := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return '_'
		}
		return r
	}, name)
	l = l[:min(len(l), maxLabel)]
	if canonical(l) == "" {
		return "item"
	}
	return l
}

func canonical(label string) string {
	c, _ := registry.Canonical(label)
	return c
}
