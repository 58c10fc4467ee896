package cash

import (
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// This file has the pages of help in JSON (format="json"). Their facts are those of the Markdown
// pages.

type indexPage struct {
	Namespaces []entry       `json:"namespaces"`
	Functions  []entry       `json:"functions,omitempty"`
	Arguments  helpArgsTable `json:"arguments"`
	SizeLimit  int           `json:"sizelimit,omitempty"`
	position
}

type helpArgsTable struct {
	Format   []string `json:"format"`
	Examples []bool   `json:"examples"`
	Params   []string `json:"params"`
	Search   string   `json:"search"`
	Offset   string   `json:"offset"`
	Limit    string   `json:"limit"`
}

// A position says which part of a list a page has. It is empty unless the request has offset or limit.
type position struct {
	Total int `json:"total,omitempty"` // entries of the list
	Next  int `json:"next,omitempty"`  // the offset of the next page; 0 at the end
}

// listed returns the entries that the request asks for.
func listed(l *registry.Listing, w window) (namespaces, functions []entry, at position) {
	namespaces, functions, all := entriesOf(l, w.offset, w.most())
	if w.asked {
		at.Total = all + len(l.Functions)
		if shown := len(namespaces) + len(functions); shown > 0 && w.offset+shown < at.Total {
			at.Next = w.offset + shown
		}
	}
	return namespaces, functions, at
}

func indexJSON(l *registry.Listing, o helpOptions, sizelimit int) string {
	namespaces, functions, at := listed(l, o.window)
	return string(strictjson.MustMarshal(indexPage{
		Namespaces: orEmpty(namespaces),
		Functions:  functions,
		Arguments: helpArgsTable{
			[]string{"json", "markdown"}, []bool{true, false}, []string{"full"}, "what you need, in words",
			"entries to skip", "most entries",
		},
		SizeLimit: sizelimit,
		position:  at,
	}))
}

type namespacePage struct {
	Namespace  string  `json:"namespace"`
	Namespaces []entry `json:"namespaces,omitempty"`
	Functions  []entry `json:"functions"`
	Available  *bool   `json:"available,omitempty"` // false, or nil for true
	Reason     string  `json:"reason,omitempty"`    // why it is unavailable
	Note       string  `json:"note,omitempty"`
	position
}

func namespaceJSON(l *registry.Listing, o helpOptions) string {
	namespaces, functions, at := listed(l, o.window)
	page := namespacePage{Namespace: l.Namespace, Namespaces: namespaces, Functions: orEmpty(functions), Note: flow(l.Note), position: at}
	if l.Unavailable != nil {
		page.Available, page.Reason = new(bool), flow(l.Unavailable.Error())
	}
	return string(strictjson.MustMarshal(page))
}

type functionPage struct {
	Namespace   string  `json:"namespace,omitempty"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Safety      string  `json:"safety,omitempty"`
	Parameters  []param `json:"parameters"`
	Open        bool    `json:"open,omitempty"` // further arguments are accepted
	Returns     string  `json:"returns,omitempty"`
	More        string  `json:"more,omitempty"`
	Example     string  `json:"example,omitempty"`
}

func functionJSON(f *registry.Function, o helpOptions) string {
	params, hidden := shownParams(f, o)
	page := functionPage{
		Namespace:   f.Namespace(),
		Name:        f.Name(),
		Description: cleanText(f.Description()),
		Safety:      safety(f),
		Parameters:  orEmpty(params),
		Open:        f.Open(),
		Returns:     cleanText(f.Returns()),
	}
	if hidden {
		page.More = `params="full"`
	}
	if o.examples {
		page.Example = exampleCall(f, o)
	}
	return string(strictjson.MustMarshal(page))
}

// orEmpty returns an empty list for nil, because JSON shows the difference.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
