package cash

import (
	"context"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxFound bounds the functions that a search shows.
const maxFound = 10

// found is the page of what a search finds at and below a namespace, spelt as
// registered.
func (s *Server) found(ctx context.Context, namespace string, o helpOptions) string {
	list := s.find(ctx, o.search, namespace)
	if o.json {
		return foundJSON(list, namespace)
	}
	return foundMarkdown(list, namespace)
}

// find returns the functions at and below a namespace that fit the query, best
// first. They are resolved for the caller in ctx: what has gone since the search
// is left out.
func (s *Server) find(ctx context.Context, query, namespace string) []*registry.Function {
	var found []*registry.Function
	for _, m := range registry.Search(ctx, s.source, namespace, query, maxFound) {
		if f, err := s.source.Function(ctx, m.Namespace, m.Name); err == nil {
			found = append(found, f)
		}
	}
	return found
}

// nothingFound is the next step after a search without a result.
func nothingFound(namespace string) string {
	if namespace == "" {
		return "No function fits. Search in other words, or use `help()` to see what there is."
	}
	return "No function in `" + namespace + "` fits. Search without a namespace, or use `" +
		helpCall(namespace, "") + "` to see what is there."
}

func foundMarkdown(found []*registry.Function, namespace string) string {
	if len(found) == 0 {
		return nothingFound(namespace)
	}
	var list []entry
	for _, f := range found {
		list = append(list, entry{Name: f.Path(), Description: oneLine(f.Description())})
	}
	var b strings.Builder
	b.WriteString("# Functions that fit, best first\n\n")
	writeEntries(&b, list)
	b.WriteString("\nRead one with `" + helpCall(found[0].Namespace(), found[0].Name()) + "`.")
	return b.String()
}

// foundPage is what a search found, as JSON: namespace and name apart, as they
// are passed on.
type foundPage struct {
	Functions []foundEntry `json:"functions"`
	Next      string       `json:"next,omitempty"` // if there are none
}

type foundEntry struct {
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

func foundJSON(found []*registry.Function, namespace string) string {
	page := foundPage{Functions: []foundEntry{}}
	for _, f := range found {
		page.Functions = append(page.Functions, foundEntry{f.Namespace(), f.Name(), oneLine(f.Description())})
	}
	if len(found) == 0 {
		page.Next = nothingFound(namespace)
	}
	return string(strictjson.MustMarshal(page))
}
