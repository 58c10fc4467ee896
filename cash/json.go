package cash

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// This file has the pages of help in JSON (format="json"). Their facts are those of the Markdown
// pages.

type indexPage struct {
	Namespaces []entry       `json:"namespaces"`
	Functions  []entry       `json:"functions,omitempty"`
	Arguments  helpArgsTable `json:"arguments"`
	// Further are the arguments that help takes in some namespaces only.
	Further   []registry.HelpArguments `json:"further,omitempty"`
	SizeLimit int                      `json:"sizelimit,omitempty"`
}

type helpArgsTable struct {
	Format   []string `json:"format"`
	Examples []bool   `json:"examples"`
	Params   []string `json:"params"`
	Search   string   `json:"search"`
}

func indexJSON(l *registry.Listing, sizelimit int) string {
	return string(strictjson.MustMarshal(indexPage{
		Namespaces: orEmpty(namespaceEntries(l)),
		Functions:  functionEntries(l),
		Arguments:  helpArgsTable{[]string{"json", "markdown"}, []bool{true, false}, []string{"full"}, "what you need, in words"},
		Further:    furtherArguments(l),
		SizeLimit:  sizelimit,
	}))
}

type namespacePage struct {
	Namespace  string  `json:"namespace"`
	Namespaces []entry `json:"namespaces,omitempty"`
	Functions  []entry `json:"functions"`
	Available  *bool   `json:"available,omitempty"` // false, or nil for true
	Reason     string  `json:"reason,omitempty"`    // why it is unavailable
	Note       string  `json:"note,omitempty"`
}

func namespaceJSON(l *registry.Listing) string {
	page := namespacePage{Namespace: l.Namespace, Namespaces: namespaceEntries(l), Functions: orEmpty(functionEntries(l)), Note: flow(l.Note)}
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
	// Schema is the exact JSON Schema of the arguments, with params="full". Servers that mount this
	// one enforce it. It is left out if this server does not know it.
	Schema  json.RawMessage `json:"schema,omitempty"`
	Returns string          `json:"returns,omitempty"`
	More    string          `json:"more,omitempty"`
	Example string          `json:"example,omitempty"`
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
	if o.full && f.Partial() == "" {
		page.Schema = wire.EscapeHidden(f.InputSchema())
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
