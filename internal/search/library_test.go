package search_test

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// A library is an index with the documents that it was made of.
type library struct {
	docs  []search.Document
	texts []*search.Text
	ix    *search.Index
}

// newLibrary indexes documents; neighbours of one namespace are a group.
func newLibrary(docs ...search.Document) *library {
	l := &library{docs: docs}
	for _, d := range docs {
		l.texts = append(l.texts, search.Read(d))
	}
	l.ix = search.Build(l.texts, groupsOf(docs, nil))
	return l
}

// groupsOf returns a group for each run of documents of one namespace.
func groupsOf(docs []search.Document, descriptions map[string]string) []search.Group {
	var groups []search.Group
	for i, d := range docs {
		if i > 0 && docs[i-1].Namespace == d.Namespace {
			groups[len(groups)-1].End++
			continue
		}
		text := search.Read(search.Document{Name: d.Namespace, Description: descriptions[d.Namespace]})
		groups = append(groups, search.Group{Text: text, First: i, End: i + 1})
	}
	return groups
}

// doc is a document at a dotted path.
func doc(path, description string) search.Document {
	ns, name, dotted := strings.Cut(path, ".")
	if !dotted {
		ns, name = "", path
	}
	return search.Document{Namespace: ns, Name: name, Description: description}
}

// path is where a document is.
func path(d search.Document) string {
	return strings.TrimPrefix(d.Namespace+"."+d.Name, ".")
}

// find returns the paths of the hits.
func (l *library) find(query string, limit int) []string {
	var paths []string
	for _, h := range l.ix.Search(search.Query{Text: query, Limit: limit}) {
		paths = append(paths, path(l.docs[h.Text]))
	}
	return paths
}

// first returns the path of the best hit, or "".
func (l *library) first(query string) string {
	if paths := l.find(query, 1); len(paths) > 0 {
		return paths[0]
	}
	return ""
}

// score returns what a query is worth to the document at a path, or 0.
func (l *library) score(query, at string) float64 {
	for _, h := range l.ix.Search(search.Query{Text: query, Limit: len(l.docs)}) {
		if path(l.docs[h.Text]) == at {
			return h.Score
		}
	}
	return 0
}
