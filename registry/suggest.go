package registry

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// A Suggestion is a known name that is similar to an unknown one.
type Suggestion struct {
	Namespace string // dotted path as registered; empty for the root
	Name      string // of the function or skill; empty for a namespace
}

// maxSuggestions is the most suggestions for one name.
const maxSuggestions = 3

// Suggest returns known names for the unknown one in err, an *[Error] of kind [UnknownNamespace],
// [UnknownFunction] or [UnknownSkill]: at most three that the caller in ctx sees, best first. Other
// errors give none.
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
		if e.Name == "" { // the namespace has no skills
			list = suggestNamespaces(ctx, src, e.Namespace, func(c Child) bool { return c.HasSkills })
			break
		}
		list = suggestSkills(ctx, src, e.Namespace, e.Name)
	}
	// Illegal names of a source could be mistaken for something else.
	list = slices.DeleteFunc(list, func(s Suggestion) bool {
		return !isPath(s.Namespace) || s.Name != "" && !isLabel(s.Name)
	})
	return list[:min(len(list), maxSuggestions)]
}

// suggestNamespaces returns namespaces similar to an unknown path. wanted selects the candidates.
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

// deepest follows path as far as it exists. It returns the last listing and the rest of the path.
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

// namespacesCalled returns namespaces with functions whose last label is label.
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

// suggestAll walks the tree until it has enough suggestions. It does not search, because an unknown
// name must not cost an index.
func suggestAll(ctx context.Context, src Source, in func(*Listing) []Suggestion) []Suggestion {
	var list []Suggestion
	enough := errors.New("enough")
	_ = Walk(ctx, src, "", func(l *Listing) error { // an error ends the walk; the earlier namespaces still count
		if list = append(list, in(l)...); len(list) >= maxSuggestions {
			return enough
		}
		return nil
	})
	return list
}

// suggestFunctions looks in the namespace, then for the same name in others.
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

// suggestSkills looks in the namespace, then in all others.
func suggestSkills(ctx context.Context, src Source, path, name string) []Suggestion {
	if l, err := src.List(ctx, path); err == nil {
		if list := similarSkills(name, l.Skills); list != nil {
			return list
		}
	}
	var all []*Skill
	_ = Walk(ctx, src, "", func(l *Listing) error { // an error ends the walk; the earlier namespaces still count
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
