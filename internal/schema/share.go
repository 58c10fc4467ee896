package schema

import (
	"math"
	"reflect"
	"strings"
)

// A Sharing has the types that a schema of a Go type defines once, in $defs, and refers to:
//
//   - structs that contain themselves, and other named types that do so without such a struct
//   - in a schema of more than 256 subschemas, all structs that occur at several places
//
// All others are written where they occur, which clients read more easily.
type Sharing struct {
	Refs      map[reflect.Type]string // such as "#/$defs/Name"; that of the root is "#"
	Recursive bool                    // a type contains itself
	Size      int                     // subschemas of the whole, at most 10,001
}

// maxInlined is the size of a schema in which every type is written where it occurs.
const maxInlined = 256

// Share returns the sharing of a schema of root. inside returns the types of the values directly inside a type; inline, if
// not nil, reports a type that must be written where it occurs.
func Share(root reflect.Type, inside func(reflect.Type) []reflect.Type, inline func(reflect.Type) bool) Sharing {
	s := sharer{inside: map[reflect.Type][]reflect.Type{}, places: map[reflect.Type]int{}, shared: map[reflect.Type]bool{}}
	s.visit(root, inside)
	mayShare := func(t reflect.Type) bool { return t.Name() != "" && (inline == nil || !inline(t)) }
	s.share(s.recursive(), func(t reflect.Type) bool { return mayShare(t) && t.Kind() == reflect.Struct })
	s.share(s.recursive(), mayShare)
	recursive := len(s.shared) > 0 || len(s.recursive()) > 0
	if s.size(root) > maxInlined {
		s.share(s.order, func(t reflect.Type) bool {
			return s.places[t] > 1 && t.Kind() == reflect.Struct && len(s.inside[t]) > 0 && (inline == nil || !inline(t))
		})
	}
	return Sharing{s.refs(root), recursive, s.size(root)}
}

// A sharer walks the types inside a type, each once.
type sharer struct {
	order  []reflect.Type // by first occurrence
	inside map[reflect.Type][]reflect.Type
	places map[reflect.Type]int // at which a type occurs
	shared map[reflect.Type]bool
}

func (s *sharer) visit(t reflect.Type, inside func(reflect.Type) []reflect.Type) {
	s.places[t]++
	if _, seen := s.inside[t]; !seen {
		s.order = append(s.order, t)
		s.inside[t] = inside(t)
	} else if t.Name() != "" || t.Kind() == reflect.Struct {
		return
	}
	for _, sub := range s.inside[t] { // also of a []T at its second place, which is a place of T
		s.visit(sub, inside)
	}
}

func (s *sharer) share(types []reflect.Type, may func(reflect.Type) bool) {
	for _, t := range types {
		if may(t) {
			s.shared[t] = true
		}
	}
}

// recursive returns the types that contain themselves, but for through a shared type: those in a strongly connected
// component, by Tarjan's algorithm.
func (s *sharer) recursive() (found []reflect.Type) {
	number, low := map[reflect.Type]int{}, map[reflect.Type]int{}
	var open []reflect.Type
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		number[t] = len(number) + 1
		low[t] = number[t]
		first := len(open)
		open = append(open, t)
		self := false
		for _, sub := range s.inside[t] {
			switch {
			case s.shared[sub]:
				continue
			case number[sub] == 0:
				visit(sub)
				low[t] = min(low[t], low[sub])
			default:
				low[t] = min(low[t], number[sub])
			}
			self = self || sub == t
		}
		if low[t] == number[t] {
			component := open[first:]
			if len(component) > 1 || self {
				found = append(found, component...)
			}
			for _, done := range component {
				number[done] = math.MaxInt
			}
			open = open[:first]
		}
	}
	for _, t := range s.order { // those below a shared type are not reached from the root
		if number[t] == 0 {
			visit(t)
		}
	}
	return found
}

// size returns the number of subschemas, of which shared types count once.
func (s *sharer) size(root reflect.Type) int {
	known := map[reflect.Type]int{}
	var size func(t reflect.Type) int
	size = func(t reflect.Type) int {
		if n, ok := known[t]; ok {
			return n
		}
		known[t] = 1 // inside of itself
		n := 1
		for _, sub := range s.inside[t] {
			if s.shared[sub] {
				n++
			} else {
				n += size(sub)
			}
		}
		known[t] = min(n, maxNodes+1)
		return known[t]
	}
	n := size(root)
	for t := range s.shared {
		if t != root {
			n += size(t)
		}
	}
	return min(n, maxNodes+1)
}

// refs names the definitions.
func (s *sharer) refs(root reflect.Type) map[reflect.Type]string {
	refs, taken := map[reflect.Type]string{}, map[string]bool{}
	for _, t := range s.order {
		switch {
		case !s.shared[t]:
			continue
		case t == root:
			refs[t] = "#"
			continue
		}
		name, _, _ := strings.Cut(t.Name(), "[") // without type arguments
		ref := defsRef + firstText(name, "Object")
		for i := 2; taken[ref]; i++ {
			ref = defsRef + firstText(name, "Object") + intText(i)
		}
		refs[t], taken[ref] = ref, true
	}
	return refs
}
