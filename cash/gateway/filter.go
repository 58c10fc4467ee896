package gateway

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// The filter that section 3.2 reserves: the path /orders/*?tag=read-only gives the functions in
// orders that have the tag, and the namespaces there with such functions below. Several filters,
// joined by &, must all hold. In a query, each word such as tag=read-only is a filter for the
// matches of the others.

// A tagFilter are the tags that functions must have. An empty one keeps all.
type tagFilter []string

const tagPrefix = "tag="

// maxFilters is the most tags of a filter.
const maxFilters = 8

// cutFilter returns a path without its filter.
func cutFilter(path string) (string, tagFilter, error) {
	base, query, found := strings.Cut(path, "?")
	if !found || !strings.HasSuffix(base, "/"+toolid.Wildcard) {
		return path, nil, nil
	}
	var f tagFilter
	for part := range strings.SplitSeq(query, "&") {
		tag, ok := strings.CutPrefix(part, tagPrefix)
		tag, err := url.QueryUnescape(tag)
		if !ok || err != nil || tag == "" || len(f) == maxFilters {
			return "", nil, &Error{
				Code: PathInvalid, Path: clean.Line(path, maxShownPath),
				Message: "The filter of the path must be like ?tag=read-only, with at most 8 tags joined by &.",
			}
		}
		f = append(f, tag)
	}
	return base, f, nil
}

// cutQuery returns a query without its filters.
func cutQuery(query string) (string, tagFilter) {
	if !strings.Contains(query, tagPrefix) {
		return query, nil
	}
	var f tagFilter
	words := slices.DeleteFunc(strings.Fields(query), func(word string) bool {
		tag, ok := strings.CutPrefix(word, tagPrefix)
		if ok = ok && tag != "" && len(f) < maxFilters; ok {
			f = append(f, tag)
		}
		return ok
	})
	return strings.Join(words, " "), f
}

// keeps reports whether a function has all the tags, as cards show them, in any case.
func (t tagFilter) keeps(f *registry.Function) bool {
	return !slices.ContainsFunc(t, func(tag string) bool {
		for _, class := range []control.Class{control.ReadOnly, control.Destructive} {
			if sameTag(tag, string(class)) {
				return control.ClassOf(f) != class
			}
		}
		return !slices.ContainsFunc(f.Tags(), func(own string) bool { return sameTag(tag, own) })
	})
}

func sameTag(a, b string) bool {
	plain := func(tag string) string { return strings.ReplaceAll(clean.Line(tag, card.MaxTag), "_", "-") }
	return strings.EqualFold(plain(a), plain(b))
}

// nodes returns the nodes that the filter keeps.
func (t tagFilter) nodes(ctx context.Context, src registry.Source, nodes []registry.Node) []registry.Node {
	if len(t) == 0 {
		return nodes
	}
	var kept []registry.Node
	for _, n := range nodes {
		if n.Function != nil && t.keeps(n.Function) || n.Namespace != nil && t.leads(ctx, src, n) {
			kept = append(kept, n)
		}
	}
	return kept
}

// errKept ends a walk.
var errKept = errors.New("found")

// leads reports whether a function that the filter keeps is in the namespace or below.
func (t tagFilter) leads(ctx context.Context, src registry.Source, n registry.Node) bool {
	look := func(l *registry.Listing) error {
		if slices.ContainsFunc(l.Functions, t.keeps) {
			return errKept
		}
		return nil
	}
	if l, err := src.List(ctx, ""); n.Path == "/mcp" && err == nil && look(l) != nil { // it also holds the root's functions
		return true
	}
	path := n.Namespace.Path
	return path != "" && errors.Is(registry.Walk(ctx, src, path, look), errKept)
}

// tagged returns the functions that the filter keeps, in the order of their paths: the first most.
func (t tagFilter) tagged(ctx context.Context, src registry.Source, most int) (list []registry.Match) {
	_ = registry.Walk(ctx, src, "", func(l *registry.Listing) error { // the earlier ones count
		for _, f := range l.Functions {
			if len(list) == most {
				return errKept
			}
			if t.keeps(f) {
				list = append(list, registry.Match{Namespace: f.Namespace(), Name: f.Name()})
			}
		}
		return nil
	})
	return list
}

// search returns the matches of a query that the filter in it keeps: the first most.
func search(ctx context.Context, src registry.Source, query string, most int) []registry.Match {
	words, t := cutQuery(query)
	switch {
	case len(t) == 0:
		return registry.Search(ctx, src, "", query, most)
	case words == "":
		return t.tagged(ctx, src, most)
	}
	matches := slices.DeleteFunc(registry.Search(ctx, src, "", words, maxFound), func(m registry.Match) bool {
		f, err := src.Function(ctx, m.Namespace, m.Name)
		return err != nil || !t.keeps(f)
	})
	return matches[:min(len(matches), most)]
}
