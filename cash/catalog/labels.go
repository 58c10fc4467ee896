package catalog

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/toolid"
)

// labels returns the labels of the entries, and adds those of their namespaces to c. They depend on the content of
// the document and the earlier labels, not on the order.
func (b *batch) labels(c *content) []string {
	byNamespace := make(map[string][]int)
	for i, e := range b.entries {
		if e.id != (toolid.Primitive{}) {
			byNamespace[e.id.Namespace] = append(byNamespace[e.id.Namespace], i)
		}
	}
	var namespaces []label.Want
	for namespace := range byNamespace {
		namespaces = append(namespaces, b.want(namespace, namespace, b.had.namespaces[namespace]))
	}
	for i, l := range new(label.Set).TakeAll(namespaces) {
		c.namespaces[namespaces[i].Key] = l
	}
	labels := make([]string, len(b.entries))
	for namespace, entries := range byNamespace {
		functions := make([]label.Want, len(entries))
		for j, i := range entries {
			e := &b.entries[i]
			had := ""
			if was := b.had.served[e.key]; was != nil && was.id.Namespace == namespace {
				had = was.label
			}
			functions[j] = b.want(e.key, e.ownName(), had)
		}
		for j, l := range new(label.Set).TakeAll(functions) {
			labels[entries[j]] = l
		}
	}
	return labels
}

func (b *batch) want(key, name, had string) label.Want {
	l := label.From(name, string(b.kind.kind))
	return label.Want{Key: key, Label: l, Exact: l == name, Had: had}
}

// ownName returns the name that the id of e was made from, as the document spells it. An id has "_" for each
// character outside its grammar; a label keeps more of the name.
func (e *entry) ownName() string {
	made := func(name string) bool { return toolid.ID{Name: name}.Fit().Name == e.id.Name }
	for _, sep := range []string{".", "/"} { // cuts the namespace
		if _, rest, found := strings.Cut(e.name, sep); found && made(rest) {
			return rest
		}
	}
	if made(e.name) {
		return e.name
	}
	return e.id.Name // this one has a number
}
