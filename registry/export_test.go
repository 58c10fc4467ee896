package registry

import "github.com/cash-mcp/go-sdk/internal/search"

// SearchTexts returns what r's index was made of, by the paths of functions.
func SearchTexts(r *Registry) map[string]*search.Text {
	texts := make(map[string]*search.Text)
	_, f := r.searchable()
	c := &f.catalog
	for i, f := range c.functions {
		texts[f.Path()] = c.texts[i]
	}
	return texts
}
