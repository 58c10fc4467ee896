package registry

import (
	"errors"
	"fmt"
	"strings"
)

// Replace puts all that is in tree in the place of all that is at and below the
// namespace at path, which is made if need be; a nil tree removes it. It is for
// what comes from elsewhere and changes as a whole: those who read see all of
// the old or all of the new, and calls in flight go on with what they began.
//
// Later changes to tree have no effect. The namespace is described as tree's
// root is, visible to those who see that, and unavailable if that is. A
// [Namespace] of what was replaced takes nothing any more: adding to it is an
// error. So is a path that is illegal, and one that leaves paths in tree too
// long.
//
// The empty path is the root: all that is in r is replaced, and who sees
// anything at all stays as r's own [Options] say. A tree that has a Visibility
// of its own there is an error.
//
// A function of tree that is a copy of the same function, with the same facts,
// as the one in its place stays what it is: nothing of it is made anew.
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
		if graft, err = tree.cutting(path, canonical); err != nil {
			return fmt.Errorf("replacing namespace %q: %w", path, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if path == "" {
		return r.replaceRoot(graft)
	}
	old := r.all[canonical]
	if old != nil {
		if graft != nil {
			graft.succeed(old) // first: until something changes, nobody waits for the lock
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
	r.changed(p)
	return nil
}

// replaceRoot puts g, or nothing, in the place of all that there is. The caller
// holds r.mu.
func (r *Registry) replaceRoot(g *graft) error {
	if g == nil {
		root := newNode("", "")
		g = &graft{root, map[string]*node{"": root}}
	}
	if g.root.visibleTo != nil {
		return errors.New("replacing the root: the tree has a visibility of its own; give it to the registry instead")
	}
	g.root.visibleTo = r.root.visibleTo
	g.succeed(r.root)
	r.root.walk(func(n *node) { n.gone = true })
	r.root, r.all = g.root, g.all
	old, s := r.snap.Load(), r.build()
	searched := old != nil && old.finder.Load() != nil
	if searched { // what readers have made of the old one is there in the new one too
		s.finder.Store(newFinder(s.root))
	}
	if old != nil && old.asked.Load() {
		s.indexIDs()
	}
	r.snap.Store(s) // until now the old one is read, and nobody waits
	if searched {
		r.found.Store(s) // no more need to keep the old one
	}
	r.tell()
	return nil
}

// Exists reports whether there is a namespace at path, whoever may see it. It is
// for those who mount trees.
func (r *Registry) Exists(path string) bool {
	canonical, _ := CanonicalPath(path)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[canonical] != nil
}

// prune takes away the parents that are there for nothing any more. The caller
// holds r.mu.
func (r *Registry) prune(n *node) {
	for n.implied && len(n.children)+len(n.functions)+len(n.skills) == 0 {
		parent := n.parent
		r.uproot(n)
		n = parent
	}
}

// uproot takes n and all below it out of the tree. The caller holds r.mu.
func (r *Registry) uproot(n *node) {
	delete(n.parent.children, n.canonical[strings.LastIndexByte(n.canonical, '.')+1:])
	n.walk(func(n *node) {
		n.gone = true
		delete(r.all, n.canonical)
	})
	r.changed(n.parent)
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, c := range n.children {
		c.walk(visit)
	}
}

// graft is a copy of a tree for another place.
type graft struct {
	root *node
	all  map[string]*node // by canonical path
}

// cutting returns a copy of all that is in r, to stand at path.
func (r *Registry) cutting(path, canonical string) (*graft, error) {
	r.mu.Lock()
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
	c.unavailable, c.page, c.instance, c.note = n.unavailable, n.page, n.instance, n.note
	for key, f := range n.functions {
		c.functions[key] = f.In(path)
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

// succeed takes over from old what outlives a change: functions that are the
// same, and else the calls that hang and what searches have read of functions
// that say the same.
func (g *graft) succeed(old *node) {
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

// same reports whether f and old are copies of one function that stand in the same
// place. Every constructor makes parameters of its own, and no fact changes later.
func (f *Function) same(old *Function) bool {
	return f.params == old.params && f.namespace == old.namespace
}
