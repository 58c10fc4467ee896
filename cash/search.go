package cash

import (
	"context"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxFound is the most functions on a page of search results.
const maxFound = 10

// found returns the page of a search at and below a namespace, which is spelled as registered.
func (s *Server) found(ctx context.Context, namespace string, o helpOptions) string {
	list := s.find(ctx, o.search, namespace)
	if o.json {
		return foundJSON(list, namespace)
	}
	return s.foundMarkdown(list, namespace)
}

// find returns the functions at and below a namespace that match the query, best first. It resolves
// each for the caller in ctx and skips functions that have disappeared since the search.
func (s *Server) find(ctx context.Context, query, namespace string) []*registry.Function {
	var found []*registry.Function
	for _, m := range registry.Search(ctx, s.source, namespace, query, maxFound) {
		if f, err := s.source.Function(ctx, m.Namespace, m.Name); err == nil {
			found = append(found, f)
		}
	}
	return found
}

// nothingFound returns the next step after a search without a match.
func nothingFound(namespace string) string {
	if namespace == "" {
		return "No function fits. Search in other words, or use `help()` to see what there is."
	}
	return "No function in `" + namespace + "` fits. Search without a namespace, or use `" +
		helpCall(namespace, "") + "` to see what is there."
}

func (s *Server) foundMarkdown(found []*registry.Function, namespace string) string {
	if len(found) == 0 {
		return nothingFound(namespace)
	}
	var list []entry
	for _, f := range found {
		list = append(list, entry{Name: f.Path(), Description: oneLine(f.About())})
	}
	end := "\nRead one with `" + helpCall(found[0].Namespace(), found[0].Name()) + "`."
	p := s.newListPage("", end)
	p.section("# Functions that fit, best first\n\n", list, false)
	return p.b.String() + end
}

// foundPage is the page of a search as JSON. Namespace and name are separate, as the tools take
// them.
type foundPage struct {
	Functions []foundEntry `json:"functions"`
	Next      string       `json:"next,omitempty"` // set if there are no matches
}

type foundEntry struct {
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

func foundJSON(found []*registry.Function, namespace string) string {
	page := foundPage{Functions: []foundEntry{}}
	for _, f := range found {
		page.Functions = append(page.Functions, foundEntry{f.Namespace(), f.Name(), oneLine(f.About())})
	}
	if len(found) == 0 {
		page.Next = nothingFound(namespace)
	}
	return string(strictjson.MustMarshal(page))
}
