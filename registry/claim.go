package registry

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/toolid"
)

// A function on another server claims the id that its server or its catalog gives it. Others may
// claim the same one: the tool of another server, or a server that imitates a function of this one.
// A call by that id could mean any of them.
//
//   - An id that follows from the place in the tree stays with the function at that place. So does
//     one that is the Instead of a function.
//   - A claimant moves to [Remote].Instead, or to the id of its place, if a second function has a
//     right to the id and everyone who sees the claimant sees the second one.
//
// So functions that are hidden from a caller have no influence on the ids that it sees. Functions
// that only some callers see together keep one id; [Find] refuses it to these callers and names the
// others. The same holds for the id that a claimant has left to one that fewer callers see with it:
// it must not come to mean that one.

// Contested returns the id of [Remote], if f has another one because a second function has a right
// to that id too.
func (f *Function) Contested() (id toolid.Primitive, ok bool) {
	return f.given, f.claimant() && f.Primitive() != f.given
}

// claimant reports whether f is a tool with a given id.
func (f *Function) claimant() bool { return f.given.Kind == toolid.Tool }

// claimed returns the id of Remote that f has; zero if it has that of its place.
func (f *Function) claimed() toolid.Primitive {
	if f.moved {
		return f.instead
	}
	return f.given
}

// alternative returns the id that f has if it moves.
func (f *Function) alternative() toolid.Primitive {
	if f.instead != (toolid.Primitive{}) {
		return f.instead
	}
	return f.placeID()
}

// canMoveTo reports whether id is the alternative of f. Other ids need no hash.
func (f *Function) canMoveTo(id toolid.Primitive) bool {
	if f.instead != (toolid.Primitive{}) {
		return f.instead == id
	}
	place, _ := newID(f.namespace, f.name)
	return place == bare(id.ID) && f.placeID() == id
}

// rights lists the functions with a right to an id, or to another one of its namespace and name, by the hash of these two:
// what is not in one list cannot contend. Functions whose place gives them the id are among them.
type rights map[uint64][]right

type right struct {
	node *node
	key  string // of the function
}

var rightSeed = maphash.MakeSeed()

func rightTo(id toolid.ID) uint64 { return maphash.Comparable(rightSeed, bare(id)) }

// claims counts the functions with a right to an id, by the innermost restricted namespace around
// them. Functions with a visibility of their own do not count: they move nobody.
type claims map[claim]int

type claim struct {
	id   toolid.ID
	gate *node // nil if no namespace is restricted
}

// settle decides about the claims, before a snapshot is built. Only functions of namespaces that have changed are looked
// at, and those that they contend with. The caller holds r.mu.
func (r *Registry) settle() {
	if !r.claims {
		return
	}
	all := r.rights == nil
	if all {
		r.rights = make(rights)
	}
	changed := make(map[uint64]bool)
	for _, n := range r.removed {
		r.rights.remove(n, changed)
	}
	r.removed = nil
	r.root.eachChanged(all, func(n *node) {
		r.rights.remove(n, changed)
		r.rights.enter(n, changed)
	})
	for key := range changed {
		r.rights.decide(key)
	}
}

// eachChanged visits n and the nodes below it without a view, or all of them. A node with a view has not changed, and
// nothing below it has.
func (n *node) eachChanged(all bool, visit func(*node)) {
	if n.built != nil && !all {
		return
	}
	visit(n)
	for _, c := range n.children {
		c.eachChanged(all, visit)
	}
}

// remove takes the functions of n out of the lists, as they were entered.
func (r rights) remove(n *node, changed map[uint64]bool) {
	for _, key := range n.rights {
		changed[key] = true
		r[key] = slices.DeleteFunc(r[key], func(m right) bool { return m.node == n })
		if len(r[key]) == 0 {
			delete(r, key)
		}
	}
	n.rights = nil
}

// enter adds the functions of n to the lists.
func (r rights) enter(n *node, changed map[uint64]bool) {
	entered := make(map[uint64]bool)
	for name, f := range n.functions {
		var own [2]uint64
		keys := own[:0]
		if f.claimant() {
			keys = append(keys, rightTo(f.given.ID))
		}
		if f.claimant() && f.instead != (toolid.Primitive{}) {
			keys = append(keys, rightTo(f.instead.ID))
		} else if f.placed() {
			id, _ := newID(f.namespace, f.name)
			keys = append(keys, rightTo(id))
		}
		for _, key := range slices.Compact(keys) {
			r[key] = append(r[key], right{n, name})
			entered[key], changed[key] = true, true
		}
	}
	n.rights = slices.Collect(maps.Keys(entered))
}

// placed reports whether f has a right to the id of its place.
func (f *Function) placed() bool {
	return f.given == (toolid.Primitive{}) || f.claimant() && f.instead == (toolid.Primitive{})
}

// decide moves the claimants of one list, or moves them back.
func (r rights) decide(key uint64) {
	c, names := make(claims), make(map[toolid.ID]bool)
	for _, m := range r[key] {
		f := m.node.functions[m.key]
		if !f.claimant() {
			continue
		}
		names[bare(f.given.ID)] = true
		c.enter(m.node, f, f.given.ID)
		if f.instead != (toolid.Primitive{}) && f.instead != f.given {
			c.enter(m.node, f, f.instead.ID)
		}
	}
	if len(names) == 0 {
		return
	}
	for _, m := range r[key] {
		f := m.node.functions[m.key]
		if !f.placed() {
			continue
		}
		if id, _ := newID(f.namespace, f.name); !names[id] { // other ids need no hash
			continue
		}
		if id := f.placeID(); id != f.given {
			c.enter(m.node, f, id.ID)
		}
	}
	for _, m := range r[key] {
		n, f := m.node, m.node.functions[m.key]
		if !f.claimant() || rightTo(f.given.ID) != key {
			continue
		}
		if moves := c.contested(n, f); moves != f.moved {
			n.functions[m.key] = f.moving(moves)
			for ; n != nil; n = n.parent {
				n.built = nil
			}
		}
	}
}

func (c claims) enter(n *node, f *Function, id toolid.ID) {
	if f.visibleTo == nil {
		c[claim{id, n.gate()}]++
	}
}

// contested reports whether a second function has a right to the id of f, and all who see f see it.
func (c claims) contested(n *node, f *Function) bool {
	others := c[claim{f.given.ID, nil}]
	for gate := n.gate(); gate != nil; gate = gate.parent.gate() {
		others += c[claim{f.given.ID, gate}]
	}
	if f.visibleTo == nil {
		others--
	}
	return others > 0
}

// gate returns the innermost restricted namespace at or around n, or nil. A namespace [Namespace.On] another server is
// none: only requests through that server do not see it. If it were one, two servers with one id would share it for
// everybody else, and [Find] would refuse it to all of them.
func (n *node) gate() *node {
	for n != nil && n.visibleTo == nil {
		n = n.parent
	}
	return n
}

// bare returns id without version and hash.
func bare(id toolid.ID) toolid.ID { return toolid.ID{Namespace: id.Namespace, Name: id.Name} }

// moving returns a copy of f that has moved to another id, or moved back.
func (f *Function) moving(moved bool) *Function {
	g := f.In(f.namespace)
	g.moved, g.stuck = moved, f.stuck
	g.keepSearched(f)
	return g
}

// sharing returns the functions that have one id for the caller in ctx, if one of them has id as
// the id that it would move to.
func sharing(ctx context.Context, src Source, id toolid.Primitive) *Function {
	byID := make(map[toolid.Primitive]int)
	var found *Function
	_ = Walk(ctx, src, "", func(l *Listing) error { // an error ends the walk; nothing is found then
		for _, f := range l.Functions {
			byID[f.Primitive()]++
			switch {
			case f.moved:
				byID[f.given]++
			case f.claimant() && f.canMoveTo(id):
				found = f
			}
		}
		return nil
	})
	if found == nil || byID[found.Primitive()] < 2 {
		return nil
	}
	return found
}

// instead returns the hint with the ids that functions of one id have besides it. If one of them has no other, there is
// none: the ids of the others are no replacement for it.
func instead(id toolid.Primitive, found []*Function) string {
	var ids []string
	for _, f := range found[:min(len(found), maxSuggestions)] {
		ids = append(ids, quoteName(f.alternative().String()))
	}
	if !slices.ContainsFunc(found, func(f *Function) bool { return !f.claimant() || f.alternative() == id }) {
		return "Use " + strings.Join(ids, " or ") + "."
	}
	return "Call something else: which of them is meant cannot be told."
}
