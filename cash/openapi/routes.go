package openapi

import (
	"net/url"
	"slices"
	"strings"
)

// routes are the paths of a document, by method, as a router tells them apart: a literal segment comes before a variable
// (OpenAPI, "Path Templating Matching").
type routes map[string]*route

// A route is a place in the tree of segments, with what may follow.
type route struct {
	literal  map[string]*route
	mixed    map[string]*mixed
	variable *route
	paths    []string // that end here
}

// A mixed segment has variables beside literal text.
type mixed struct {
	literals []string // around the variables
	size     int      // bytes of the literals
	next     *route
}

// add adds a path. Letter case is not heeded, as some routers do.
func (rs routes) add(method, path string) {
	at := rs[method]
	if at == nil {
		at = new(route)
		rs[method] = at
	}
	for _, segment := range cut(path) {
		at = at.below(segment)
	}
	at.paths = append(at.paths, path)
}

// cut returns the segments of a path.
func cut(path string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
}

// plainly returns a text of a path as routers compare it.
func plainly(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return strings.ToLower(text)
}

// below returns the route behind a segment of a template.
func (r *route) below(segment string) *route {
	var literals []string
	size := 0
	for {
		before, rest, ok := strings.Cut(segment, "{")
		_, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			before = segment
		}
		literals = append(literals, plainly(before))
		size += len(before)
		if !ok || !closed {
			break
		}
		segment = after
	}
	switch {
	case len(literals) == 1:
		if r.literal == nil {
			r.literal = make(map[string]*route)
		}
		if r.literal[literals[0]] == nil {
			r.literal[literals[0]] = new(route)
		}
		return r.literal[literals[0]]
	case len(literals) == 2 && size == 0:
		if r.variable == nil {
			r.variable = new(route)
		}
		return r.variable
	}
	key := strings.Join(literals, "{}")
	if r.mixed == nil {
		r.mixed = make(map[string]*mixed)
	}
	if r.mixed[key] == nil {
		r.mixed[key] = &mixed{literals, size, new(route)}
	}
	return r.mixed[key].next
}

// find returns the paths, equal but for their variables and letter case, that a router takes for these segments.
func (r *route) find(segments []string) []string {
	if len(segments) == 0 {
		return r.paths
	}
	first, rest := segments[0], segments[1:]
	var next []*route
	if at := r.literal[first]; at != nil {
		next = append(next, at)
	}
	var fit []*mixed
	for _, m := range r.mixed {
		if m.matches(first) {
			fit = append(fit, m)
		}
	}
	slices.SortFunc(fit, func(a, b *mixed) int { // the more is literal the better
		if a.size != b.size {
			return b.size - a.size
		}
		return slices.Compare(a.literals, b.literals)
	})
	for _, m := range fit {
		next = append(next, m.next)
	}
	if r.variable != nil {
		next = append(next, r.variable)
	}
	for _, at := range next {
		if paths := at.find(rest); paths != nil {
			return paths
		}
	}
	return nil
}

// matches reports whether a segment has the literals in this order, and at least a byte for each variable.
func (m *mixed) matches(segment string) bool {
	rest, ok := strings.CutPrefix(segment, m.literals[0])
	last := len(m.literals) - 1
	for _, literal := range m.literals[1:last] {
		if !ok || rest == "" {
			return false
		}
		_, rest, ok = strings.Cut(rest[1:], literal)
	}
	return ok && len(rest) > len(m.literals[last]) && strings.HasSuffix(rest, m.literals[last])
}

// leads reports whether requests to a path, which is made of a template, are those of that template.
func (rs routes) leads(method, template, path string) bool {
	at := rs[method]
	if at == nil {
		return true
	}
	segments := cut(path)
	for i, segment := range segments {
		segments[i] = plainly(segment)
	}
	found := at.find(segments)
	return found == nil || slices.Contains(found, template)
}
