package registry

import (
	"context"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/search"
)

// A Match is a function that a search found.
type Match struct {
	Namespace string // dotted path as registered; empty for the root
	Name      string // as registered
	// Score is above zero and orders the matches of one search, best first. Scores of different
	// searches cannot be compared.
	Score float64
}

// A Searcher is a [Source] that has an index of its own.
type Searcher interface {
	Source
	// SearchNamespace is the method behind [Search]. The duties of a Source hold: hidden functions
	// are not found and do not influence the result.
	SearchNamespace(ctx context.Context, path, query string, limit int) []Match
}

// Search returns the functions of src that match the query, at and below the namespace at path, as
// the caller in ctx sees them. The empty path is the root. The best match is first. There are at
// most limit matches, none for a limit below 1. A source that is no [Searcher] is walked and
// indexed.
//
// The query is text in any language or script, or a name. Only its first 4 KiB count. It is matched
// against names, aliases, namespaces, descriptions and parameters, with other forms of a word,
// synonyms and typos. A function whose whole name, alias or path is the query comes first. The same
// query has the same answer.
func Search(ctx context.Context, src Source, path, query string, limit int) []Match {
	if s, ok := src.(Searcher); ok {
		return s.SearchNamespace(ctx, path, query, limit)
	}
	return new(walkIndex).search(ctx, src, path, query, limit)
}

// Search is the function [Search] for the whole of r. It takes no lock, except for the first search
// after a change: that search makes the index, and others wait for it. Only changed functions and
// namespaces are read again.
//
// With more than 10,000 functions, no search waits but the first one of all. Until the next index is made, which takes
// less than a second for each 100,000 functions, searches use the last one. They do not find functions that are new.
// Functions that have gone or are hidden by now are not found and do not influence the result.
func (r *Registry) Search(ctx context.Context, query string, limit int) []Match {
	return r.SearchNamespace(ctx, "", query, limit)
}

// Index makes the index of all functions that are there now, so that the next search finds them and does not wait. It is
// optional.
func (r *Registry) Index() { r.searchable() }

// SearchNamespace implements [Searcher].
func (r *Registry) SearchNamespace(ctx context.Context, path, query string, limit int) []Match {
	if limit < 1 {
		return nil
	}
	now := r.snapshot()
	s, f := r.searchableSoon(now)
	v, err := s.at(ctx, path)
	if err != nil {
		return nil
	}
	visible := f.visible(ctx, v)
	if s.number < now.number {
		visible = f.still(ctx, v, visible, now)
	}
	return f.catalog.matches(f.index.Search(search.Query{
		Text: query, Limit: limit, Visible: visible, Near: r.near(ctx, query, f.catalog.functions),
	}))
}

// searchableSoon returns a snapshot with its finder: s or a later one, or the last one while the index of many functions
// is made.
func (r *Registry) searchableSoon(s *snapshot) (*snapshot, *finder) {
	if f := s.finder.Load(); f != nil {
		return s, f
	}
	last := r.indexed.Load()
	if last == nil || len(last.finder.Load().catalog.functions) <= waitedFor {
		return r.searchable()
	}
	if r.indexMu.TryLock() {
		go func() { // ends with the index
			defer r.indexMu.Unlock()
			_ = apart.Guard(func() error { r.index(s); return nil }) // the next search tries again
		}()
	}
	return last, last.finder.Load()
}

// waitedFor is the most functions whose index searches wait for: it takes some 20 ms.
const waitedFor = 10_000

// searchable returns a snapshot with its finder, no older than this call. Waiting calls share one
// new index, even if the registry changes all the time.
func (r *Registry) searchable() (*snapshot, *finder) {
	s := r.snapshot()
	if f := s.finder.Load(); f != nil {
		return s, f
	}
	r.indexMu.Lock()
	defer r.indexMu.Unlock()
	return r.index(s)
}

// index returns the newest snapshot with its finder, s or a later one. The caller holds r.indexMu.
func (r *Registry) index(s *snapshot) (*snapshot, *finder) {
	found := r.indexed.Load()
	if found == nil || found.number < s.number {
		if found = r.snapshot(); found.finder.Load() == nil {
			found.finder.Store(newFinder(found.root))
		}
		r.indexed.Store(found)
	}
	return found, found.finder.Load()
}

// catalog lists the functions of an index with their texts.
type catalog struct {
	functions []*Function
	texts     []*search.Text
	groups    []search.Group
}

// addNamespace adds the functions of one namespace.
func (c *catalog) addNamespace(namespace *search.Text, functions []*Function) {
	first := len(c.functions)
	c.functions = append(c.functions, functions...)
	for _, f := range functions {
		c.texts = append(c.texts, f.searchText())
	}
	c.groups = append(c.groups, search.Group{Text: namespace, First: first, End: len(c.functions)})
}

func (c *catalog) index() *search.Index { return search.Build(c.texts, c.groups) }

func (c *catalog) matches(hits []search.Hit) []Match {
	var list []Match
	for _, h := range hits {
		f := c.functions[h.Text]
		list = append(list, Match{f.namespace, f.name, h.Score})
	}
	return list
}

// finder is the search index of a snapshot.
type finder struct {
	catalog catalog
	rules   []Visibility // of the functions
	index   *search.Index
	spots   map[*view]spot
}

// spot is the position of a view's functions in the catalog: its own are from first to below, those
// of its children from there to end.
type spot struct{ first, below, end int }

func newFinder(root *view) *finder {
	f := &finder{spots: make(map[*view]spot)}
	f.addView(root)
	f.index = f.catalog.index()
	return f
}

func (f *finder) addView(v *view) {
	s := spot{first: len(f.catalog.functions)}
	if len(v.functionList) > 0 {
		f.catalog.addNamespace(v.searchText(), v.functionList)
		for _, fn := range v.functionList {
			f.rules = append(f.rules, fn.visibleTo)
		}
	}
	s.below = len(f.catalog.functions)
	for _, c := range v.children {
		f.addView(c)
	}
	s.end = len(f.catalog.functions)
	f.spots[v] = s
}

// visible returns the functions at v and below that the caller sees. The caller may enter v. Nil is
// all functions.
func (f *finder) visible(ctx context.Context, v *view) *search.Set {
	if v.open && f.spots[v] == (spot{0, f.spots[v].below, len(f.catalog.functions)}) {
		return nil
	}
	set := search.NewSet(len(f.catalog.functions))
	f.mark(lookerIn(ctx), v, set)
	return set
}

func (f *finder) mark(l looker, v *view, set *search.Set) {
	s := f.spots[v]
	if v.open {
		set.AddRange(s.first, s.end)
		return
	}
	for i := s.first; i < s.below; i++ {
		passed := i + l.passesFirst(f.rules[i:s.below])
		set.AddRange(i, passed)
		i = passed
	}
	for _, c := range v.children {
		if c.child.HasFunctions && l.passesAll(c.conditions[len(v.conditions):]) {
			f.mark(l, c, set)
		}
	}
}

// still returns those of the visible functions at v and below that the caller also sees in a later snapshot.
func (f *finder) still(ctx context.Context, v *view, visible *search.Set, now *snapshot) *search.Set {
	if visible == nil {
		visible = search.NewSet(len(f.catalog.functions))
		visible.AddRange(0, len(f.catalog.functions))
	}
	f.unmark(lookerIn(ctx), v, visible, now)
	return visible
}

func (f *finder) unmark(l looker, v *view, set *search.Set, now *snapshot) {
	n := now.views[v.canonical]
	if n == v { // nothing has changed here and below
		return
	}
	entered := n != nil && l.passesAll(n.conditions)
	for i, fn := range v.functionList {
		key, _ := Canonical(fn.name)
		if !entered || n.functions[key] == nil || !l.passes(n.functions[key].visibleTo) {
			set.Remove(f.spots[v].first + i)
		}
	}
	for _, c := range v.children {
		f.unmark(l, c, set, now)
	}
}
