package registry

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/toolid"
)

// idIndex finds the functions of a snapshot by id: those that have it, and those that have moved away from it. It is
// immutable. The index of the next snapshot shares the parts without changes.
type idIndex struct {
	parts []map[toolid.Primitive][]*Function // by hash, their number is a power of two; lists are sorted by path
	count int
}

// perPart is the number of functions for one part.
const perPart = 32

var idSeed = maphash.MakeSeed()

func (x *idIndex) part(id toolid.Primitive) int {
	return int(maphash.Comparable(idSeed, id) & uint64(len(x.parts)-1))
}

func (x *idIndex) find(id toolid.Primitive) []*Function { return x.parts[x.part(id)][id] }

// newIDIndex returns the index of the functions at root and below.
func newIDIndex(root *view) *idIndex {
	var list []*Function
	for f := range root.all() {
		list = append(list, f)
	}
	parts := 1
	for parts*perPart < len(list) {
		parts *= 2
	}
	x := &idIndex{parts: make([]map[toolid.Primitive][]*Function, parts)}
	x.apply(list, make([]bool, parts), true)
	return x
}

// next returns the index of a later root, made from that of an earlier one. Its work is that of the differences.
func (x *idIndex) next(old, root *view) *idIndex {
	var gone, come []*Function
	differences(old, root, &gone, &come)
	if n := x.count + len(come) - len(gone); n > 4*perPart*len(x.parts) || 8*n < perPart*(len(x.parts)-1) {
		return newIDIndex(root) // the parts are too few by now, or too many
	}
	y := &idIndex{parts: slices.Clone(x.parts), count: x.count}
	own := make([]bool, len(y.parts))
	y.apply(gone, own, false)
	y.apply(come, own, true)
	return y
}

// apply adds functions, or takes them out. own tells which parts are this index's alone.
func (x *idIndex) apply(list []*Function, own []bool, add bool) {
	for _, f := range list {
		ids := [2]toolid.Primitive{f.Primitive(), f.given}
		for _, id := range ids[:1+last(f.moved)] {
			p := x.part(id)
			if !own[p] {
				own[p] = true
				if x.parts[p] = maps.Clone(x.parts[p]); x.parts[p] == nil {
					x.parts[p] = make(map[toolid.Primitive][]*Function)
				}
			}
			// The slice may be that of an older index too.
			if others := slices.DeleteFunc(slices.Clone(x.parts[p][id]), func(g *Function) bool { return g == f }); add {
				i, _ := slices.BinarySearchFunc(others, f, func(a, b *Function) int { return strings.Compare(a.Path(), b.Path()) })
				x.parts[p][id] = slices.Insert(others, i, f)
			} else if len(others) > 0 {
				x.parts[p][id] = others
			} else {
				delete(x.parts[p], id)
			}
		}
		if add {
			x.count++
		} else {
			x.count--
		}
	}
}

// differences appends the functions that only old has to gone, and those that only root has to come. Views that are in
// both trees are not looked into. Either view may be nil.
func differences(old, root *view, gone, come *[]*Function) {
	if old == root {
		return
	}
	if old == nil {
		old = new(view)
	}
	if root == nil {
		root = new(view)
	}
	for key, f := range old.functions {
		if root.functions[key] != f {
			*gone = append(*gone, f)
		}
	}
	for key, f := range root.functions {
		if old.functions[key] != f {
			*come = append(*come, f)
		}
	}
	a, b := old.children, root.children // both are sorted
	for len(a) > 0 || len(b) > 0 {
		order := -1
		switch {
		case len(a) == 0:
			order = 1
		case len(b) > 0:
			order = strings.Compare(a[0].canonical, b[0].canonical)
		}
		var before, after *view
		if order <= 0 {
			before, a = a[0], a[1:]
		}
		if order >= 0 {
			after, b = b[0], b[1:]
		}
		differences(before, after, gone, come)
	}
}

// idsOf returns the index of ids of a snapshot.
func (r *Registry) idsOf(s *snapshot) *idIndex {
	if x := s.ids.Load(); x != nil {
		return x
	}
	r.idMu.Lock()
	defer r.idMu.Unlock()
	if x := s.ids.Load(); x != nil {
		return x
	}
	var x *idIndex
	if was := r.identified.Load(); was != nil {
		x = was.ids.Load().next(was.root, s.root)
	} else {
		x = newIDIndex(s.root)
	}
	s.ids.Store(x)
	if was := r.identified.Load(); was == nil || was.number < s.number {
		kept := &snapshot{root: s.root, number: s.number} // s may have a search index, which would not be freed
		kept.ids.Store(x)
		r.identified.Store(kept)
	}
	return x
}
