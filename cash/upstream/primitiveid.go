package upstream

import (
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/toolid"
)

// primitiveNames gives each of the list a name, by its key: what its name makes,
// or else its title, or the end of its URI.
func primitiveNames(kind toolid.Kind, list []*primitive, had map[string]string) map[string]string {
	candidates := make([]candidate, len(list))
	for i, d := range list {
		c := candidate{key: d.key, base: string(kind)}
		for _, text := range []string{d.name, d.title, lastSegment(d.key)} {
			if label := asLabel(text); label != "" {
				c.base, c.kept = label, label == d.name
				break
			}
		}
		candidates[i] = c
	}
	return distinctNames(candidates, had)
}

// primitiveIDs gives each of the list an id, by its key: of the name as the
// server spells it, made to fit (section 9.2), or else of the function's. What
// fits comes first. One that others leave no id has none.
func primitiveIDs(kind toolid.Kind, label string, list []*primitive, names map[string]string) map[string]toolid.Primitive {
	type spelled struct {
		*primitive
		id   toolid.Primitive
		fits bool
	}
	sorted := make([]spelled, len(list))
	for i, d := range list {
		id, fits := d.id(kind, label, d.name)
		sorted[i] = spelled{d, id, fits}
	}
	slices.SortFunc(sorted, func(a, b spelled) int {
		switch {
		case a.fits && !b.fits:
			return -1
		case b.fits && !a.fits:
			return 1
		}
		return strings.Compare(a.key, b.key)
	})
	ids := make(map[string]toolid.Primitive, len(list))
	taken := make(map[toolid.Primitive]bool, len(list))
	for _, d := range sorted {
		if taken[d.id] || d.name == "" {
			d.id, _ = d.primitive.id(kind, label, names[d.key])
		}
		if !taken[d.id] {
			taken[d.id], ids[d.key] = true, d.id
		}
	}
	return ids
}

// id is the id that a name makes below a label, and whether the name is in it as
// it is.
func (p *primitive) id(kind toolid.Kind, label, name string) (id toolid.Primitive, fits bool) {
	first, rest, _ := strings.Cut(label, ".")
	path := joined(rest, name)
	want := toolid.ID{Namespace: canonicalPath(first), Name: path}.Fit()
	if kind == toolid.Resource {
		id, _ = toolid.FromResource(want.Namespace, want.Name, p.key) // what fits is no error
		return id, want.Name == path
	}
	names := make([]string, len(p.arguments))
	for i, a := range p.arguments {
		names[i] = a.name
	}
	id, _ = toolid.FromPrompt(want.Namespace, want.Name, names)
	return id, want.Name == path
}
