package registry

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// Names of tools on other servers may differ where labels do not, such as createIssue and
// create_issue. One of them then has the label and the others have longer ones. A function is
// looked up in this order (see also section 2.6 of the gateway surface):
//
//  1. by its label, exactly as spelled
//  2. by its tool's name, exactly as spelled
//  3. by the last part of that, or of the name in the id that its server gives it
//  4. by its label in canonical form, if no other function there would have the same label
//
// What fits two functions in one of these ways is refused, not guessed.

// spellings are the names of a namespace's functions besides their labels. The zero value has none.
type spellings struct {
	exact map[string][]*Function // by the tool's name
	last  map[string][]*Function // by the last part of the tool's name
	alike map[string][]*Function // by the canonical label that another function has
}

// add adds the function with the canonical name key.
func (s *spellings) add(key string, f *Function) {
	tool := f.spelled()
	last, base := lastPart(tool), alone(key, tool)
	if last == f.name && base == key {
		return
	}
	if s.exact == nil {
		s.exact, s.last, s.alike = make(map[string][]*Function), make(map[string][]*Function), make(map[string][]*Function)
	}
	if f.tool != "" {
		s.exact[tool] = append(s.exact[tool], f)
	}
	if last != f.tool && last != f.name {
		s.last[last] = append(s.last[last], f)
	}
	if base != key {
		s.alike[base] = append(s.alike[base], f)
	}
}

// spelled returns the name of f on its server, or that in the id that its server gives it.
func (f *Function) spelled() string { return cmp.Or(f.tool, f.given.Name, f.name) }

// lastPart returns what follows the last dot or slash of a tool's name.
func lastPart(tool string) string {
	if last := tool[strings.LastIndexAny(tool, "./")+1:]; last != "" {
		return last
	}
	return tool
}

// alone returns the canonical label that a tool would have without others, if key begins with it,
// else key.
func alone(key, tool string) string {
	for _, name := range []string{tool, lastPart(tool)} {
		if base := label.Fold(label.From(name, key)); strings.HasPrefix(key, base) {
			return base
		}
	}
	return key
}

// choose returns the function that name means, or nil. f is the one with that canonical name; nil
// if the caller sees none.
func (s *spellings) choose(ctx context.Context, v *view, name, key string, f *Function) (*Function, error) {
	if s.exact == nil || f != nil && f.name == name {
		return f, nil
	}
	fits := seen(ctx, s.exact[name])
	if len(fits) == 0 {
		fits = seen(ctx, s.last[name])
	}
	if len(fits) == 0 && f != nil {
		fits = append(seen(ctx, s.alike[key]), f)
	}
	switch len(fits) {
	case 0:
		return nil, nil
	case 1:
		return fits[0], nil
	}
	return nil, ambiguous(v.child.Path, name, fits)
}

// seen returns the functions that the caller in ctx sees.
func seen(ctx context.Context, list []*Function) (visible []*Function) {
	for _, f := range list {
		if f.visibleTo.allows(ctx) {
			visible = append(visible, f)
		}
	}
	return visible
}

// ambiguous is the error for a name that may mean any of the functions.
func ambiguous(path, name string, fits []*Function) error {
	labels := make([]string, 0, maxSuggestions)
	for _, f := range fits[:min(len(fits), maxSuggestions)] {
		labels = append(labels, quoteName(f.name))
	}
	slices.Sort(labels)
	return &Error{
		Kind: UnknownFunction, Namespace: path, Name: name, NotRun: true,
		Message: "More than one function could be meant by " + quoteName(name) + ".",
		Hint:    "Spell it exactly: " + strings.Join(labels, " or ") + ".",
	}
}
