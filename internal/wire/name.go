package upstream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/toolid"
)

// primitiveNames gives each of the list a name, by its key: what its name makes,
// or else its title, or the end of its URI.
func primitiveNames(kind toolid.Kind, list []*primitive, had map[string]string) map[string]string {
	wants := make([]label.Want, len(list))
	for i, d := range list {
		name := label.From(lastSegment(d.key), string(kind))
		name = label.From(d.name, label.From(d.title, name))
		wants[i] = label.Want{Key: d.key, Label: name, Exact: name == d.name, Had: had[d.key]}
	}
	return byKey(wants)
}

// primitiveIDs gives each of the list an id, by its key: of the name as the
// server spells it, made to fit (section 9.2), or of the function's if it has
// none. Where a forged hash makes two alike, the later one gets a number; what
// fits comes first.
func primitiveIDs(kind toolid.Kind, label string, list []*primitive, names map[string]string) map[string]toolid.Primitive {
	type spelled struct {
		*primitive
		id   toolid.Primitive
		fits bool
	}
	sorted := make([]spelled, len(list))
	for i, d := range list {
		id, fits := d.id(kind, label, d.name, 1)
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
	next := make(map[string]int) // the number to try next, by what it is put behind
	for _, d := range sorted {
		name := d.name
		if name == "" {
			name = names[d.key]
			d.id, _ = d.primitive.id(kind, label, name, 1)
		}
		if taken[d.id] {
			s := stem(d.id.Name)
			n := max(next[s], 2)
			for ; taken[d.id]; n++ {
				d.id, _ = d.primitive.id(kind, label, name, n)
			}
			next[s] = n
		}
		taken[d.id], ids[d.key] = true, d.id
	}
	return ids
}

// stem is what a number is put behind: it leaves room for any in a name of an id.
func stem(name string) string { return name[:min(len(name), 100)] }

// id is the id that a name makes below a label, the n-th of those that are the
// same, and whether the name is in it as it is. Where that of a prompt is not, the
// hash covers it, so that the id never becomes another's.
func (p *primitive) id(kind toolid.Kind, label, name string, n int) (id toolid.Primitive, fits bool) {
	first, rest, _ := strings.Cut(label, ".")
	path := joined(rest, name)
	want := toolid.ID{Namespace: canonicalPath(first), Name: path}.Fit()
	if n > 1 {
		want.Name = fmt.Sprintf("%s_%d", stem(want.Name), n)
	}
	if kind == toolid.Resource {
		id, _ = toolid.FromResource(want.Namespace, want.Name, p.key) // what fits is no error
		return id, want.Name == path
	}
	identity := make([]string, 0, len(p.arguments)+1)
	for _, a := range p.arguments {
		identity = append(identity, a.name)
	}
	if fits = want.Name == path; !fits {
		identity = append(identity, path)
	}
	id, _ = toolid.FromPrompt(want.Namespace, want.Name, identity)
	return id, fits
}
