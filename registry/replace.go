package registry

import (
	"errors"
	"fmt"
	"strings"
)

// Replace swaps the whole tree at and below the namespace at path for a copy of tree. It is for
// catalogs of other servers, which change as a whole. Readers see the old tree or the new one,
// never a mixture. Calls in flight finish on the old one.
//
//   - Missing namespaces on the path are created. A nil tree removes the namespace. The empty path
//     replaces everything in r.
//   - The namespace takes its description, visibility and availability from tree's root. At the
//     empty path, r keeps the visibility of its own [Options].
//   - Later changes to tree have no effect. Adding to a [Namespace] of the old tree is an error.
//   - An equal function in the same place, a copy with the same facts, stays the same *[Function].
//
// The errors: an illegal path, a path in the result that is too long, and, at the empty path, a
// tree with a visibility of its own.
func (r *Registry) Replace(path string, tree *Registry) error {
	canonical, ok := CanonicalPath(path)
	switch {
	case !ok:
		return fmt.Errorf("replacing namespace %q: %s, joined by single dots", path, labelRule)
	case tree == r:
		return fmt.Errorf("replacing namespace %q: a registry cannot be part of itself", path)
	}
	var graft *graft
	if tree != nil {
		var err error
		if graft, err = tree.graftAt(path, canonical); err != nil {
			return fmt.Errorf("replacing namespace %q: %w", path, err)
		}
	}
	r.lock()
	defer r.mu.Unlock()
	if path == "" {
		return r.replaceRoot(graft)
	}
	old := r.all[canonical]
	if old != nil {
		if graft != nil {
			graft.inherit(old) // first: readers do not wait for the lock before a change
		}
		r.uproot(old)
	}
	if graft == nil {
		if old != nil {
			r.prune(old.parent)
		}
		return nil
	}
	parent, key := "", canonical
	if i := strings.LastIndexByte(canonical, '.'); i >= 0 {
		parent, key = canonical[:i], canonical[i+1:]
	}
	p := r.ensure(path[:max(0, strings.LastIndexByte(path, '.'))], parent, true)
	graft.root.parent = p
	p.children[key] = graft.root
	for c, n := range graft.all {
		r.all[c] = n
	}
	r.claims = r.claims || graft.claims
	r.changed(p)
	return nil
}

// replaceRoot replaces everything in r by g, or by nothing. The caller holds r.mu.
func (r *Registry) replaceRoot(g *graft) error {
	if g == nil {
		root := newNode("", "")
		g = &graft{root: root, all: map[string]*node{"": root}}
	}
	if g.root.visibleTo != nil {
		return errors.New("replacing the root: the tree has a visibility of its own; give it to the registry instead")
	}
	g.root.visibleTo = r.root.visibleTo
	g.inherit(r.root)
	r.root.walk(func(n *node) { n.gone = true })
	r.root, r.all, r.claims, r.rights, r.removed = g.root, g.all, g.claims, nil, nil
	old, s := r.snap.Load(), r.build()
	searched := old != nil && old.finder.Load() != nil
	if searched { // the old snapshot had an index, so the new one gets one before it is published
		s.finder.Store(newFinder(s.root))
	}
	if old != nil && old.ids.Load() != nil {
		r.idsOf(s)
	}
	r.snap.Store(s) // until now, readers use the old snapshot without waiting
	if searched {
		r.indexed.Store(s) // the old index can be freed
	}
	r.notifyChanged()
	return nil
}

// Exists reports whether there is a namespace at path, visible or not. It is for code that mounts
// trees.
func (r *Registry) Exists(path string) bool {
	canonical, _ := CanonicalPath(path)
	r.lock()
	defer r.mu.Unlock()
	return r.all[canonical] != nil
}

// prune removes implied parents that have become empty. The caller holds r.mu.
func (r *Registry) prune(n *node) {
	for n.implied && len(n.children)+len(n.functions)+len(n.skills) == 0 {
		parent := n.parent
		r.uproot(n)
		n = parent
	}
}

// uproot removes n and everything below it from the tree. The caller holds r.mu.
func (r *Registry) uproot(n *node) {
	delete(n.parent.children, n.canonical[strings.LastIndexByte(n.canonical, '.')+1:])
	n.walk(func(n *node) {
		n.gone = true
		delete(r.all, n.canonical)
		if n.rights != nil {
			r.removed = append(r.removed, n)
		}
	})
	r.changed(n.parent)
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, c := range n.children {
		c.walk(visit)
	}
}

// graft is a copy of a tree for another place. Replace inserts it.
type graft struct {
	root   *node
	all    map[string]*node // by canonical path
	claims bool             // a function has a claim to an id
}

// graftAt returns a copy of the whole tree of r for the place at path.
func (r *Registry) graftAt(path, canonical string) (*graft, error) {
	r.lock()
	defer r.mu.Unlock()
	g := &graft{all: make(map[string]*node, len(r.all))}
	var err error
	g.root, err = g.copy(r.root, path, canonical)
	return g, err
}

func (g *graft) copy(n *node, path, canonical string) (*node, error) {
	if len(path) > maxPath {
		return nil, fmt.Errorf("the path %.64q... has more than %d bytes", path, maxPath)
	}
	c := newNode(path, path[strings.LastIndexByte(path, '.')+1:])
	c.canonical, c.description, c.origin, c.visibleTo = canonical, n.description, n.origin, n.visibleTo
	c.unavailable, c.page, c.instance, c.note, c.missed = n.unavailable, n.page, n.instance, n.note, n.missed
	c.arguments = n.arguments
	for key, f := range n.functions {
		c.functions[key] = f.In(path)
		g.claims = g.claims || f.claimant()
	}
	for key, s := range n.skills {
		k := *s
		k.namespace = path
		c.skills[key] = &k
	}
	for key, child := range n.children {
		cc, err := g.copy(child, join(path, child.label), join(canonical, key))
		if err != nil {
			return nil, err
		}
		cc.parent = c
		c.children[key] = cc
	}
	g.all[canonical] = c
	return c, nil
}

// inherit takes over state from the old tree. An equal function stays the same. A changed one keeps
// the count of abandoned calls, and its search text if that is unchanged.
func (g *graft) inherit(old *node) {
	old.walk(func(o *node) {
		n := g.all[o.canonical]
		if n == nil {
			return
		}
		for key, f := range n.functions {
			was := o.functions[key]
			switch {
			case was == nil:
			case f.same(was):
				n.functions[key] = was
			default:
				f.stuck = was.stuck
				f.keepSearched(was)
			}
		}
	})
}

// same reports whether f and old are copies of one function in the same place. Every constructor
// makes new params, and facts never change, so equal params mean equal functions.
func (f *Function) same(old *Function) bool {
	return f.params == old.params && f.namespace == old.namespace
}
