package registry

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// walkIndex searches a source without an index of its own: it walks the functions that the caller
// sees and indexes them. It keeps the last few indexes for callers who see the same functions.
type walkIndex struct {
	kept atomic.Pointer[[]*walked] // newest first
}

// maxWalked is the most indexes that are kept.
const maxWalked = 4

// walked is the index of one walk.
type walked struct {
	namespaces []Child // with functions: path and description
	catalog    catalog
	index      *search.Index
}

func (w *walkIndex) search(ctx context.Context, src Source, path, query string, limit int) []Match {
	if limit < 1 {
		return nil
	}
	var lists [][]*Function
	var seen walked
	_ = Walk(ctx, src, path, func(l *Listing) error { // an error ends the walk; the earlier namespaces still count
		if l != nil && len(l.Functions) > 0 {
			seen.namespaces = append(seen.namespaces, Child{Path: l.Namespace, Description: l.Description})
			lists = append(lists, l.Functions)
		}
		return nil
	})
	index := w.indexOf(&seen, lists)
	return index.catalog.matches(index.index.Search(search.Query{Text: query, Limit: limit}))
}

// indexOf returns the index of the walk in seen: a kept one if nothing differs, else a new one.
// Functions of a Source never change, so equal pointers mean equal functions.
func (w *walkIndex) indexOf(seen *walked, lists [][]*Function) *walked {
	functions := slices.Concat(lists...)
	old := w.kept.Load()
	var list []*walked
	if old != nil {
		list = *old
	}
	for _, k := range list {
		if slices.Equal(k.namespaces, seen.namespaces) && slices.Equal(k.catalog.functions, functions) {
			return k
		}
	}
	for i, n := range seen.namespaces {
		seen.catalog.addNamespace(search.Read(namespaceDocument(n.Path, n.Description)), lists[i])
	}
	seen.index = seen.catalog.index()
	list = append([]*walked{seen}, list[:min(len(list), maxWalked-1)]...)
	w.kept.CompareAndSwap(old, &list) // on a conflict, another index is kept
	return seen
}
