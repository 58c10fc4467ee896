package explore

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of lists.
const (
	pageSize = 200 // entries of a page
	navSize  = 40  // namespaces of one level beside a page
	found    = 100 // functions of a search
	typed    = 25  // of a search while typing, which replaces its rows with every letter
	maxWords = 500 // characters of its query
)

// An entry is a line in a list of namespaces, functions or skills.
type entry struct {
	Name, About, URL string
	Kind             string   // namespace, function or skill
	Marks            []string // hints in words
}

// A branch is a namespace in the tree beside a page.
type branch struct {
	link
	Branches []branch
}

// A crumb is a part of a path. A path without parts is the root.
func (f *frame) crumbs(path string) []link {
	list := []link{{Text: "root", URL: f.URL("./")}}
	for i, label := range labels(path) {
		list = append(list, link{Text: label, URL: f.URL("./", "path", strings.Join(labels(path)[:i+1], "."))})
	}
	return list
}

func labels(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// A pager leads to the other pages of a list.
type pager struct {
	First, Last, All int
	Before, After    string // URLs
}

// pageOf returns the bounds of a page of n entries, by the query's from.
func (r *request) pageOf(f *frame, n int, path string) (lo, hi int, p pager) {
	lo, _ = strconv.Atoi(r.URL.Query().Get("from"))
	lo = max(0, min(lo, (n-1)/pageSize*pageSize))
	hi = min(lo+pageSize, n)
	p = pager{First: lo + 1, Last: hi, All: n}
	if lo > 0 {
		p.Before = f.URL("./", "path", path, "from", strconv.Itoa(max(lo-pageSize, 0)))
	}
	if hi < n {
		p.After = f.URL("./", "path", path, "from", strconv.Itoa(hi))
	}
	return lo, hi, p
}

// namespace shows a namespace.
func (h *Handler) namespace(r *request) error {
	path := r.URL.Query().Get("path")
	l, err := h.source.List(r.ctx, path)
	if err != nil {
		if path != "" || registry.AsError(err).Kind != registry.UnknownNamespace {
			return err
		}
		l = new(registry.Listing) // the caller sees nothing
	}
	p := struct {
		frame
		Crumbs                        []link
		About, Note, Problem          string
		Entries                       []entry
		Pager                         pager
		Namespaces, Functions, Skills int
	}{frame: r.frame(cmp.Or(l.Namespace, "root")), About: l.Description, Note: l.Note}
	p.Path = l.Namespace
	p.Crumbs = p.crumbs(l.Namespace)
	p.Nav = r.nav(&p.frame, l.Namespace)
	p.Namespaces, p.Functions, p.Skills = len(l.Namespaces), len(l.Functions), len(l.Skills)
	if l.Unavailable != nil {
		p.Problem = l.Unavailable.Message
	}
	lo, hi, pages := r.pageOf(&p.frame, p.Namespaces+p.Functions+p.Skills, l.Namespace)
	p.Pager = pages
	for i := lo; i < hi; i++ {
		switch at := i - p.Namespaces; {
		case at < 0:
			p.Entries = append(p.Entries, namespaceEntry(&p.frame, l.Namespaces[i]))
		case at < p.Functions:
			p.Entries = append(p.Entries, functionEntry(&p.frame, l.Functions[at], l.Functions[at].Name()))
		default:
			p.Entries = append(p.Entries, skillEntry(&p.frame, l.Skills[at-p.Functions]))
		}
	}
	return r.render(200, "namespace", &p)
}

func namespaceEntry(f *frame, c registry.Child) entry {
	e := entry{Kind: "namespace", Name: c.Name, About: c.About(), URL: f.URL("./", "path", c.Path)}
	if c.Unavailable {
		e.Marks = append(e.Marks, "unavailable")
	}
	return e
}

func functionEntry(f *frame, fn *registry.Function, name string) entry {
	return entry{Kind: "function", Name: name, About: fn.About(), URL: f.URL("function", "path", fn.Path()), Marks: marks(fn)}
}

func skillEntry(f *frame, s *registry.Skill) entry {
	path := strings.Trim(s.Namespace()+"."+s.Name(), ".")
	return entry{Kind: "skill", Name: s.Name(), About: s.About(), URL: f.URL("skill", "path", path)}
}

// marks returns the declared effects of a function in words.
func marks(f *registry.Function) (list []string) {
	add := func(word string, yes bool) {
		if yes {
			list = append(list, word)
		}
	}
	hints := f.Hints()
	add("read-only", hints.ReadOnly)
	add("destructive", f.Destructive())
	add("idempotent", f.Idempotent() && !hints.ReadOnly)
	add("remote", f.Remote())
	add("streaming", f.Streaming())
	add("schema not used", f.Problem() != nil)
	return list
}

// nav returns the tree beside a page: the namespaces around each part of its path.
func (r *request) nav(f *frame, path string) []branch { return r.navBelow(f, "", labels(path)) }

func (r *request) navBelow(f *frame, at string, rest []string) (list []branch) {
	l, err := r.h.source.List(r.ctx, at)
	if err != nil {
		return nil
	}
	for i, c := range l.Namespaces {
		open := len(rest) > 0 && c.Name == rest[0]
		if i >= navSize && !open {
			continue
		}
		b := branch{link: link{Text: c.Name, URL: f.URL("./", "path", c.Path), Here: open && len(rest) == 1}}
		if open {
			b.Branches = r.navBelow(f, c.Path, rest[1:])
		}
		list = append(list, b)
	}
	if more := len(l.Namespaces) - len(list); more > 0 {
		list = append(list, branch{link: link{Text: number(more) + " more", URL: f.URL("./", "path", at)}})
	}
	return list
}

// search shows the functions that the registry's index finds.
func (h *Handler) search(r *request) error {
	p := struct {
		frame
		Entries []entry
		Most    int
		Typing  bool
	}{frame: r.frame("Search"), Most: found, Typing: r.part()}
	p.Query = clean.Line(r.URL.Query().Get("q"), maxWords)
	if p.Typing {
		p.Most = typed
	} else {
		p.Nav = r.nav(&p.frame, "")
	}
	if p.Query != "" {
		for _, m := range registry.Search(r.ctx, h.source, "", p.Query, p.Most) {
			if f, err := h.source.Function(r.ctx, m.Namespace, m.Name); err == nil { // else it has just gone
				p.Entries = append(p.Entries, functionEntry(&p.frame, f, f.Path()))
			}
		}
	}
	return r.render(200, "search", &p)
}

// prepare makes the index that the caller's searches need, unless it is there. It runs apart from the request, one at
// a time. maxWait bounds what it waits for.
func (r *request) prepare() {
	h := r.h
	if !h.preparing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer h.preparing.Store(false)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), maxWait)
		defer cancel()
		registry.Search(ctx, h.source, "", "", 1)
	}()
}

// split divides the path of an entry into its namespace and its name.
func split(path string) (namespace, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}
