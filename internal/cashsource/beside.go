package upstream

import (
	"slices"

	"github.com/cash-mcp/go-sdk/internal/cashtext"
)

// The texts of a CaSH server speak of all of it, wherever its parts are mounted.

// moved returns what the server says of a function as it reads here.
func (v view) moved(e cashtext.Entry, d *cashtext.Function) (cashtext.Entry, *cashtext.Function) {
	e.Description = v.text.Text(e.Description)
	if d == nil {
		return e, nil
	}
	here := *d
	here.Description, here.Returns = v.text.Text(d.Description), v.text.Text(d.Returns)
	here.Parameters = slices.Clone(d.Parameters)
	for i := range here.Parameters {
		here.Parameters[i].Description = v.text.Text(here.Parameters[i].Description)
	}
	return e, &here
}

// paths returns the canonical paths of all namespaces below p.
func (p *place) paths() map[string]bool {
	known := make(map[string]bool)
	p.each(func(b *place) {
		if b != p {
			known[canonicalPath(b.path)] = true
		}
	})
	return known
}

// beside are the other mounts of the server.
func (b *builder) beside(root *place, m mount) []cashtext.Place {
	var list []cashtext.Place
	for _, other := range b.up.mounts {
		if other.key() == m.key() {
			continue
		}
		switch base := root.find(other.namespace); {
		case base != nil:
			list = append(list, cashtext.Place{From: base.path, To: other.label})
		case other.orRoot:
			list = append(list, cashtext.Place{To: other.label})
		}
	}
	return list
}

// speaksForRoot reports whether a mount shows the skills of the root: if that is
// mounted nowhere, the first mount does.
func (b *builder) speaksForRoot(root *place, m mount) bool {
	for _, other := range b.up.mounts {
		if base := root.find(other.namespace); base == root || base == nil && other.orRoot {
			return false
		}
	}
	return b.up.mounts[0].key() == m.key() && m.orRoot
}
