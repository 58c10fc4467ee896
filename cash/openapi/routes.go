package openapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// routes are the paths of all operations of a document, below those of their servers, as a tree of segments. A request is
// looked up there as a router might (OpenAPI, "Path Templating Matching").
type routes struct {
	top     route
	literal map[step]*route
}

// A step is a segment without variables that leads from a route to another.
type step struct {
	from *route
	text string
}

// A route is a place in the tree.
type route struct {
	open    []*open // what follows behind segments with variables
	methods uint16  // of the paths that end here, a bit for each
	all     uint16  // of the paths that have any segments from here on
}

// An open is a segment with variables: the texts around them. It leads to a route.
type open struct {
	texts []string
	route
}

// anyMethod stands for those of a path that cannot be read.
const anyMethod = ""

// bit returns the bit of a method.
func bit(method string) uint16 {
	if method == anyMethod {
		return ^uint16(0)
	}
	return 1 << slices.Index(methods, strings.ToLower(method))
}

// maxSegments bounds the segments of a path.
const maxSegments = 100

// cut returns the segments of a path.
func cut(path string) []string {
	return strings.Split(strings.TrimSuffix(path, "/"), "/")
}

// plainly returns a part of a path as routers compare it. Some do not heed letter case.
func plainly(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return strings.ToLower(strings.ToUpper(text)) // ſ is an s
}

// around returns the texts around the variables of a segment: one more than there are variables.
func around(segment string) []string {
	var texts []string
	for {
		before, rest, ok := strings.Cut(segment, "{")
		_, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return append(texts, strings.Clone(plainly(segment)))
		}
		texts, segment = append(texts, strings.Clone(plainly(before))), after
	}
}

// matches reports whether a segment has the texts in this order, and at least a byte for each variable.
func matches(texts []string, segment string) bool {
	rest, ok := strings.CutPrefix(segment, texts[0])
	last := len(texts) - 1
	for _, text := range texts[1:last] {
		if !ok || rest == "" {
			return false
		}
		_, rest, ok = strings.Cut(rest[1:], text)
	}
	return ok && len(rest) > len(texts[last]) && strings.HasSuffix(rest, texts[last])
}

// add adds a path for a method, and returns what that costs.
func (rs *routes) add(method, path string) (work int) {
	const each = 1500 // a place is some 150 bytes
	at := &rs.top
	for _, segment := range cut(path) {
		if strings.Contains(segment, "{**}") {
			at.all |= bit(method)
			return work + 20*len(path)
		}
		texts := around(segment)
		if len(texts) > 1 {
			i := slices.IndexFunc(at.open, func(o *open) bool { return slices.Equal(o.texts, texts) })
			work += 8 * len(at.open)
			if i < 0 {
				i = len(at.open)
				at.open = append(at.open, &open{texts: texts})
				work += each
			}
			at = &at.open[i].route
			continue
		}
		next := rs.literal[step{at, texts[0]}]
		if next == nil {
			next = new(route)
			rs.literal[step{at, texts[0]}] = next
			work += each
		}
		at = next
	}
	at.methods |= bit(method)
	return work + 20*len(path)
}

// blank returns a path as its router may read it: without names, and with {**} for what takes all segments that follow.
func blank(path string) string {
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	return eachVariable("/"+strings.TrimPrefix(path, "/"), func(name string) string {
		_, pattern, ok := strings.Cut(name, "=")
		switch {
		case ok: // such as {name=users/*}
			return strings.NewReplacer("**", "{**}", "*", "{}").Replace(pattern)
		case strings.ContainsAny(name, "*+"): // such as {name+}, {*name} and {name:.*}
			return "{**}"
		}
		return "{}"
	})
}

// route notes the path of an operation below each of its servers on the document's host.
func (r *reader) route(method, path string, places []string) {
	path = blank(path)
	for _, place := range places {
		if r.set.work.over() {
			return
		}
		r.set.work.spend(r.routes.add(method, place+path))
	}
}

// another reports whether a router may take a request to a path, which is made of a template, for that of another
// template: one that fits the path, and not all paths of this template.
func (rs *routes) another(method, template, path string) bool {
	own, segments := cut(template), cut(path)
	for i, segment := range own {
		own[i] = strings.Join(around(segment), "\x00") // a value that nothing names
	}
	for i, segment := range segments {
		segments[i] = plainly(segment)
	}
	methods := bit(method)
	if method == http.MethodHead { // GET's handler may answer it
		methods |= bit(http.MethodGet)
	}
	return len(own) != len(segments) || rs.taken(&rs.top, methods, own, segments, false)
}

// taken is another for what is behind a route. above tells that a segment before it does not fit the template.
func (rs *routes) taken(at *route, methods uint16, own, segments []string, above bool) bool {
	if above && at.all&methods != 0 {
		return true
	}
	if len(segments) == 0 {
		return above && at.methods&methods != 0
	}
	own, template, segments, segment := own[1:], own[0], segments[1:], segments[0]
	if next := rs.literal[step{at, segment}]; next != nil && rs.taken(next, methods, own, segments, above || segment != template) {
		return true
	}
	return slices.ContainsFunc(at.open, func(o *open) bool {
		return matches(o.texts, segment) && rs.taken(&o.route, methods, own, segments, above || !matches(o.texts, template))
	})
}
