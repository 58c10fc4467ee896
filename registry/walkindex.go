package registry

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// walkIndex searches a source that has no index of its own: it walks what the
// caller sees and indexes that. The last few indexes are kept for those who
// see the same.
type walkIndex struct {
	kept atomic.Pointer[[]*walked] // newest first
}

// maxWalked bounds the indexes that are kept.
const maxWalked = 4

// walked is the index of what was seen on a walk.
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
	_ = Walk(ctx, src, path, func(l *Listing) error { // what was seen before an error will do
		if l != nil && len(l.Functions) > 0 {
			seen.namespaces = append(seen.namespaces, Child{Path: l.Namespace, Description: l.Description})
			lists = append(lists, l.Functions)
		}
		return nil
	})
	index := w.indexOf(&seen, lists)
	return index.catalog.matches(index.index.Search(search.Query{Text: query, Limit: limit}))
}

// indexOf returns the index of what was seen, kept or made. Functions of a
// Source are never modified, so that the same pointers are the same functions.
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
		seen.catalog.enter(search.Read(namespaceDocument(n.Path, n.Description)), lists[i])
	}
	seen.index = seen.catalog.index()
	list = append([]*walked{seen}, list[:min(len(list), maxWalked-1)]...)
	w.kept.CompareAndSwap(old, &list) // else another is kept instead
	return seen
}
