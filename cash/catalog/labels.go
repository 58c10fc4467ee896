package catalog

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/toolid"
)

// paths returns the paths of the entries within the namespaces of their ids, and adds the labels of these namespaces
// to c. They depend on the content of the document and the earlier ones, not on the order. Names of tools with dots
// nest (section 3.3).
func (b *batch) paths(c *content) []string {
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
	paths := make([]string, len(b.entries))
	for namespace, entries := range byNamespace {
		keys, had, names := make([]string, len(entries)), make(map[string]string), make(map[string]string)
		for j, i := range entries {
			e := &b.entries[i]
			if was := b.had.served[e.key]; was != nil && was.id.Namespace == namespace {
				had[e.key] = was.path
			}
			keys[j], names[e.key] = e.key, e.ownName()
		}
		made := wire.Paths(string(b.kind.kind), keys, had, func(key string) (dir, rest string) {
			if b.kind.kind != toolid.Tool {
				return "", names[key]
			}
			return wire.Nest(names[key])
		})
		for j, i := range entries {
			paths[i] = made[keys[j]]
		}
	}
	return paths
}

func (b *batch) want(key, name, had string) label.Want {
	l := label.From(name, string(b.kind.kind))
	return label.Want{Key: key, Label: l, Exact: l == name, Had: had}
}

// ownName returns the name that the id of e was made from, as the document spells it. An id has "_" for each
// character outside its grammar; a label keeps more of the name.
func (e *entry) ownName() string {
	made := func(name string) bool { return toolid.ID{Name: name}.Fit().Name == e.id.Name }
	if _, rest, deep := strings.Cut(e.server, "."); deep && made(rest+"."+e.name) {
		return rest + "." + e.name
	}
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
