package registry

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// A Suggestion is what a caller may have meant.
type Suggestion struct {
	Namespace string // dotted path as registered; empty for the root
	Name      string // of the function or skill; empty for a namespace
}

// maxSuggestions bounds how many are made at a time.
const maxSuggestions = 3

// Suggest returns what the caller may have meant whose name err, an *[Error] of
// kind [UnknownNamespace], [UnknownFunction] or [UnknownSkill], says is unknown:
// at most three, best first, of what the caller in ctx sees. For other errors
// it returns none.
func Suggest(ctx context.Context, src Source, err error) []Suggestion {
	e := AsError(err)
	var list []Suggestion
	switch e.Kind {
	case UnknownNamespace:
		list = suggestNamespaces(ctx, src, e.Namespace, func(c Child) bool { return c.HasFunctions })
		if list == nil {
			list = namespacesCalled(ctx, src, e.Namespace[strings.LastIndexByte(e.Namespace, '.')+1:])
		}
	case UnknownFunction:
		list = suggestFunctions(ctx, src, e.Namespace, e.Name)
	case UnknownSkill:
		if e.Name == "" { // the namespace has none
			list = suggestNamespaces(ctx, src, e.Namespace, func(c Child) bool { return c.HasSkills })
			break
		}
		list = suggestSkills(ctx, src, e.Namespace, e.Name)
	}
	// What a source calls by names that are none could read as anything.
	list = slices.DeleteFunc(list, func(s Suggestion) bool {
		return !isPath(s.Namespace) || s.Name != "" && !isLabel(s.Name)
	})
	return list[:min(len(list), maxSuggestions)]
}

// suggestNamespaces looks where the path leads nowhere, among what has wanted
// things in it.
func suggestNamespaces(ctx context.Context, src Source, path string, wanted func(Child) bool) []Suggestion {
	l, rest := deepest(ctx, src, path)
	if l == nil || rest == "" {
		return nil
	}
	label, below, _ := strings.Cut(rest, ".")
	paths := make(map[string]string)
	for _, c := range l.Namespaces {
		if wanted(c) {
			paths[c.Name] = c.Path
		}
	}
	var list []Suggestion
	for _, name := range search.Similar(label, sortedKeys(paths), maxSuggestions) {
		s := Suggestion{Namespace: paths[name]}
		if below != "" {
			if l, err := src.List(ctx, join(s.Namespace, below)); err == nil {
				s.Namespace = l.Namespace
			}
		}
		list = append(list, s)
	}
	return list
}

// deepest follows path as far as it leads, and returns what is there and the
// rest of the path.
func deepest(ctx context.Context, src Source, path string) (*Listing, string) {
	l, err := src.List(ctx, "")
	if err != nil || len(path) > maxPath {
		return nil, ""
	}
	known := ""
	for path != "" {
		label, rest, _ := strings.Cut(path, ".")
		known = join(known, label)
		below, err := src.List(ctx, known)
		if err != nil {
			break
		}
		l, path = below, rest
	}
	return l, path
}

// namespacesCalled returns namespaces with functions whose last label is the
// given one.
func namespacesCalled(ctx context.Context, src Source, label string) []Suggestion {
	canonical, ok := Canonical(label)
	if !ok {
		return nil
	}
	return suggestAll(ctx, src, func(l *Listing) (list []Suggestion) {
		for _, c := range l.Namespaces {
			if name, _ := Canonical(c.Name); name == canonical && c.HasFunctions {
				list = append(list, Suggestion{Namespace: c.Path})
			}
		}
		return list
	})
}

// functionsCalled returns functions of the given name.
func functionsCalled(ctx context.Context, src Source, name string) []Suggestion {
	canonical, ok := Canonical(name)
	if !ok {
		return nil
	}
	return suggestAll(ctx, src, func(l *Listing) (list []Suggestion) {
		for _, f := range l.Functions {
			if name, _ := Canonical(f.name); name == canonical {
				list = append(list, Suggestion{l.Namespace, f.name})
			}
		}
		return list
	})
}

// suggestAll looks through the whole tree until it has enough. It does not
// search: an unknown name must not cost an index.
func suggestAll(ctx context.Context, src Source, in func(*Listing) []Suggestion) []Suggestion {
	var list []Suggestion
	enough := errors.New("enough")
	_ = Walk(ctx, src, "", func(l *Listing) error { // what was seen before an error will do
		if list = append(list, in(l)...); len(list) >= maxSuggestions {
			return enough
		}
		return nil
	})
	return list
}

// suggestFunctions looks in the namespace, then for the same name elsewhere.
func suggestFunctions(ctx context.Context, src Source, path, name string) []Suggestion {
	var list []Suggestion
	if l, err := src.List(ctx, path); err == nil {
		var names []string
		for _, f := range l.Functions {
			names = append(names, f.name)
		}
		for _, n := range search.Similar(name, names, maxSuggestions) {
			list = append(list, Suggestion{l.Namespace, n})
		}
	}
	if list == nil {
		list = functionsCalled(ctx, src, name)
	}
	return list
}

// suggestSkills looks in the namespace, then in all.
func suggestSkills(ctx context.Context, src Source, path, name string) []Suggestion {
	if l, err := src.List(ctx, path); err == nil {
		if list := similarSkills(name, l.Skills); list != nil {
			return list
		}
	}
	var all []*Skill
	_ = Walk(ctx, src, "", func(l *Listing) error { // what was seen before an error will do
		all = append(all, l.Skills...)
		return nil
	})
	return similarSkills(name, all)
}

func similarSkills(name string, skills []*Skill) []Suggestion {
	byName := make(map[string][]Suggestion)
	for _, s := range skills {
		byName[s.name] = append(byName[s.name], Suggestion{s.namespace, s.name})
	}
	var list []Suggestion
	for _, n := range search.Similar(name, sortedKeys(byName), maxSuggestions) {
		list = append(list, byName[n]...)
	}
	return list
}
