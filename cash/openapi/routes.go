package openapi

import (
	"net/url"
	"slices"
	"strings"
)

// A route is a place in the tree of the segments of all addresses of a document, in which a request is looked up as a
// router would: a literal segment comes before a variable (OpenAPI, "Path Templating Matching").
type route struct {
	literal  map[string]*route
	mixed    map[string]*route // variables beside literal text
	variable *route
	segment  segment  // that leads here
	methods  []string // of the addresses that end here
}

// A segment is one without the names of its variables: the texts around them. One without variables is one text.
type segment []string

// anyMethod stands for those of a path that cannot be read.
const anyMethod = "*"

// maxSegments bounds the segments of an address.
const maxSegments = 100

// cut returns the segments of an address.
func cut(address string) []string {
	return strings.Split(strings.TrimSuffix(address, "/"), "/")
}

// plainly returns a part of an address as routers compare it. Some do not heed letter case.
func plainly(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return strings.ToLower(text)
}

// segmentOf reads a segment of a template.
func segmentOf(text string) segment {
	var s segment
	for {
		before, rest, ok := strings.Cut(text, "{")
		_, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return append(s, strings.Clone(plainly(text)))
		}
		s = append(s, strings.Clone(plainly(before)))
		text = after
	}
}

// literal returns how much of a segment is literal. All of it is more than any part.
func (s segment) literal() int {
	if len(s) == 1 {
		return maxPath + 1
	}
	size := 0
	for _, text := range s {
		size += len(text)
	}
	return size
}

// before reports whether a router may take s where other fits as well.
func (s segment) before(other segment) bool {
	mine, its := s.literal(), other.literal()
	return mine > its || mine == its && mine > 0 && !slices.Equal(s, other)
}

// matches reports whether a text has those of the segment in this order, and at least a byte for each variable.
func (s segment) matches(text string) bool {
	rest, ok := strings.CutPrefix(text, s[0])
	last := len(s) - 1
	for _, literal := range s[1:last] {
		if !ok || rest == "" {
			return false
		}
		_, rest, ok = strings.Cut(rest[1:], literal)
	}
	return ok && len(rest) > len(s[last]) && strings.HasSuffix(rest, s[last])
}

// add adds a template of addresses for a method, and returns what that costs.
func (r *route) add(method, template string) (work int) {
	const each = 4000 // a place is some 400 bytes
	for _, text := range cut(template) {
		var made bool
		if r, made = r.below(segmentOf(text)); made {
			work += each
		}
	}
	if !slices.Contains(r.methods, method) {
		r.methods = append(r.methods, method)
	}
	return work + 20*len(template)
}

// below returns the route behind a segment, which may be new.
func (r *route) below(s segment) (_ *route, made bool) {
	at := &r.literal
	key := s[0]
	switch {
	case len(s) == 2 && s.literal() == 0:
		if made = r.variable == nil; made {
			r.variable = &route{segment: s}
		}
		return r.variable, made
	case len(s) > 1:
		at, key = &r.mixed, strings.Join(s, "{}")
	}
	if *at == nil {
		*at = make(map[string]*route)
	}
	if made = (*at)[key] == nil; made {
		(*at)[key] = &route{segment: s}
	}
	return (*at)[key], made
}

// another reports whether a router may take a request to an address, which is made of a template, for one of another
// template.
func (r *route) another(method, template, address string) bool {
	var own []segment
	for _, text := range cut(template) {
		own = append(own, segmentOf(text))
	}
	segments := cut(address)
	for i, text := range segments {
		segments[i] = plainly(text)
	}
	return len(own) != len(segments) || r.taken(method, own, segments, false)
}

// taken reports whether a template below fits the segments, and some segment of it, or above, comes before the own one.
func (r *route) taken(method string, own []segment, segments []string, above bool) bool {
	if len(segments) == 0 {
		return above && (slices.Contains(r.methods, method) || slices.Contains(r.methods, anyMethod))
	}
	next := func(at *route) bool {
		return at.taken(method, own[1:], segments[1:], above || at.segment.before(own[0]))
	}
	if at := r.literal[segments[0]]; at != nil && next(at) {
		return true
	}
	for _, at := range r.mixed {
		if at.segment.matches(segments[0]) && next(at) {
			return true
		}
	}
	return r.variable != nil && next(r.variable)
}
