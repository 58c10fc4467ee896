package cash

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
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
		Further:   furtherArguments(l, math.MaxInt),
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
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Safety      string `json:"safety,omitempty"`
	// Annotations are the declared effects of a call, as in MCP: yes, no, or left out. Servers that mount this one
	// pass them on. They are unverified.
	Annotations json.RawMessage `json:"annotations,omitempty"`
	Parameters  []param         `json:"parameters"`
	Open        bool            `json:"open,omitempty"` // further arguments are accepted
	// Schema is the exact JSON Schema of the arguments, with params="full". Servers that mount this
	// one enforce it. It is left out if this server does not know it.
	Schema  json.RawMessage `json:"schema,omitempty"`
	Returns string          `json:"returns,omitempty"`
	More    string          `json:"more,omitempty"`
	Example string          `json:"example,omitempty"`
	ID      string          `json:"id,omitempty"` // the tool id, by which servers that mount this one show it too
}

func functionJSON(f *registry.Function, o helpOptions) string {
	params, hidden := shownParams(f, o)
	page := functionPage{
		Namespace:   f.Namespace(),
		Name:        f.Name(),
		Description: cleanText(f.Description()),
		Safety:      safety(f),
		Annotations: wire.HintsOf(f).JSON(),
		Parameters:  orEmpty(params),
		Open:        f.Open(),
		Returns:     cleanText(f.Returns()),
		ID:          toolID(f),
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

// toolID returns the id of a function that is a tool, else "".
func toolID(f *registry.Function) string {
	if id := f.Primitive(); id.Kind == toolid.Tool {
		return id.String()
	}
	return ""
}

// withID returns a function's page from its own server, with the id that it has here if the page is
// in JSON.
func withID(page string, f *registry.Function) string {
	id := toolID(f)
	if id == "" || !strings.HasPrefix(page, "{") || strictjson.Check([]byte(page)) != nil {
		return page
	}
	var b strictjson.Builder
	for key, value := range strictjson.RawMembers([]byte(page)) {
		if strictjson.Text(key) != "id" {
			b.AddRaw(key, value)
		}
	}
	b.AddRaw([]byte(`"id"`), strictjson.AppendText(nil, id))
	return string(b.Object())
}

// orEmpty returns an empty list for nil, because JSON shows the difference.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
