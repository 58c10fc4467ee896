package registry

import (
	"context"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// A Match is a function that a search found.
type Match struct {
	Namespace string // dotted path as registered; empty for the root
	Name      string // as registered
	// Score is above zero and orders the matches of one search, best first. It
	// says nothing across searches.
	Score float64
}

// A Searcher is a [Source] that has an index of its own. The duties of a Source
// hold: nothing that the caller in ctx may not see is found, or has influence
// on what is.
type Searcher interface {
	Source
	Search(ctx context.Context, query string, limit int) []Match
}

// Search returns the functions of src that the caller in ctx sees and that fit
// the query, best first, at most limit; none for a limit below 1. A source that
// is no [Searcher] is walked and indexed for each search.
//
// The query is text in any language or script, or a name; only its first 4 KiB
// count. Functions are found by their names, aliases, namespaces, descriptions
// and parameters, in other forms of a word, by synonyms and in spite of typos.
// One whose whole name, alias or path is the query comes first. The same query
// has the same answer.
func Search(ctx context.Context, src Source, query string, limit int) []Match {
	if s, ok := src.(Searcher); ok {
		return s.Search(ctx, query, limit)
	}
	var c catalog
	_ = Walk(ctx, src, "", func(l *Listing) error { // what was seen before an error will do
		c.enter(search.Read(namespaceDocument(l.Namespace, l.Description)), l.Functions)
		return nil
	})
	return c.matches(c.index().Search(search.Query{Text: query, Limit: limit}))
}

// Search is the function [Search] for r. It takes no lock, but for the first
// search after a change, which makes the index; of that, only what changed is
// read anew.
func (r *Registry) Search(ctx context.Context, query string, limit int) []Match {
	s := r.snapshot()
	if limit < 1 || !allAllow(ctx, s.root.conditions) {
		return nil
	}
	f := s.finder()
	return f.catalog.matches(f.index.Search(search.Query{
		Text: query, Limit: limit, Visible: f.visible(ctx), Near: r.near(ctx, query, f.catalog.functions),
	}))
}

// catalog is what an index is made of.
type catalog struct {
	functions []*Function
	texts     []*search.Text
	groups    []search.Group
}

// enter adds the functions of one namespace.
func (c *catalog) enter(namespace *search.Text, functions []*Function) {
	if len(functions) == 0 {
		return
	}
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
		list = append(list, Match{f.namespace, f.Name, h.Score})
	}
	return list
}

// finder searches a snapshot.
type finder struct {
	catalog catalog
	index   *search.Index
	root    spot
}

// spot says where the functions of a view are in the catalog: its own from
// first to below, those of its children from there to end.
type spot struct {
	view              *view
	first, below, end int
	children          []spot
}

// finder returns the snapshot's finder, made on first use.
func (s *snapshot) finder() *finder {
	s.findOnce.Do(func() {
		f := new(finder)
		f.root = f.enter(s.root)
		f.index = f.catalog.index()
		s.find = f
	})
	return s.find
}

func (f *finder) enter(v *view) spot {
	s := spot{view: v, first: len(f.catalog.functions)}
	if len(v.functionList) > 0 {
		f.catalog.enter(v.searchText(), v.functionList)
	}
	s.below = len(f.catalog.functions)
	for _, c := range v.children {
		s.children = append(s.children, f.enter(c))
	}
	s.end = len(f.catalog.functions)
	return s
}

// visible returns what the caller, who sees the root, sees of the catalog.
func (f *finder) visible(ctx context.Context) *search.Set {
	if f.root.view.open {
		return nil
	}
	set := search.NewSet(len(f.catalog.functions))
	f.mark(ctx, &f.root, set)
	return set
}

func (f *finder) mark(ctx context.Context, s *spot, set *search.Set) {
	if s.view.open {
		set.AddRange(s.first, s.end)
		return
	}
	for i := s.first; i < s.below; i++ {
		if f.catalog.functions[i].VisibleTo.allows(ctx) {
			set.Add(i)
		}
	}
	for i := range s.children {
		c := &s.children[i]
		if c.first < c.end && allAllow(ctx, c.view.conditions[len(s.view.conditions):]) {
			f.mark(ctx, c, set)
		}
	}
}
