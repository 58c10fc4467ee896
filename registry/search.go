package registry

import (
	"context"

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
func (r *Registry) Search(ctx context.Context, query string, limit int) []Match {
	return r.SearchNamespace(ctx, "", query, limit)
}

// SearchNamespace implements [Searcher].
func (r *Registry) SearchNamespace(ctx context.Context, path, query string, limit int) []Match {
	if limit < 1 {
		return nil
	}
	s, f := r.searchable()
	v, err := s.at(ctx, path)
	if err != nil {
		return nil
	}
	return f.catalog.matches(f.index.Search(search.Query{
		Text: query, Limit: limit, Visible: f.visible(ctx, v), Near: r.near(ctx, query, f.catalog.functions),
	}))
}

// searchable returns a snapshot with its finder, no older than this call. Waiting calls share one
// new index, even if the registry changes all the time.
func (r *Registry) searchable() (*snapshot, *finder) {
	s := r.snapshot()
	if f := s.finder.Load(); f != nil {
		return s, f
	}
	r.indexMu.Lock()
	defer r.indexMu.Unlock()
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
	f.mark(ctx, v, set)
	return set
}

func (f *finder) mark(ctx context.Context, v *view, set *search.Set) {
	s := f.spots[v]
	if v.open {
		set.AddRange(s.first, s.end)
		return
	}
	for i := s.first; i < s.below; i++ {
		if f.catalog.functions[i].visibleTo.allows(ctx) {
			set.Add(i)
		}
	}
	for _, c := range v.children {
		if c.child.HasFunctions && allAllow(ctx, c.conditions[len(v.conditions):]) {
			f.mark(ctx, c, set)
		}
	}
}
