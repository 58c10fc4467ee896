package wire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// FunctionNames returns a unique function name for each tool. had are the earlier names, which stay. The order of
// the list does not matter.
func FunctionNames(tools []string, had map[string]string) map[string]string {
	return Paths("tool", tools, had, func(tool string) (string, string) { return "", tool })
}

// FunctionPaths is FunctionNames for the tools of a server with a label: names with dots nest (section 3.3 of the
// gateway surface). A first part that equals the last label of the server is left out.
func FunctionPaths(server string, tools []string, had map[string]string) map[string]string {
	at := CanonicalPath(server[strings.LastIndexByte(server, '.')+1:])
	return Paths("tool", tools, had, func(tool string) (string, string) {
		first, rest, dotted := strings.Cut(tool, ".")
		if l, _ := registry.Canonical(label.From(first, "")); dotted && rest != "" && l == at {
			tool = rest
		}
		return Nest(tool)
	})
}

// Paths returns a unique path for each key. nest returns the namespace of a key, and the name there. The name of its
// kind is the label of a name that gives none.
func Paths(kind string, keys []string, had map[string]string, nest func(key string) (dir, rest string)) map[string]string {
	wants := make(map[string][]label.Want) // by canonical namespace
	dirs := make(map[string]string, len(keys))
	for _, k := range keys {
		dir, rest := nest(k)
		name := label.From(rest, kind)
		was := strings.TrimPrefix(had[k], Join(dir, ""))
		if strings.Contains(was, ".") || Join(dir, was) != had[k] {
			was = "" // it was in another namespace
		}
		at := CanonicalPath(dir)
		dirs[k] = dir
		wants[at] = append(wants[at], label.Want{Key: k, Label: name, Exact: name == rest, Had: was})
	}
	names := make(map[string]string, len(keys))
	for _, list := range wants {
		for k, name := range byKey(list) {
			names[k] = Join(dirs[k], name)
		}
	}
	return names
}

// Join adds a name to a dotted path, which may be empty.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Split cuts a dotted path into the path of the namespace and the last label.
func Split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

// Limits of names that nest: their bytes, and their parts.
const (
	maxNested = 128
	maxParts  = 8
)

// Nest cuts a name with dots into the path of namespaces that its parts but the last make, and the last part. A name
// with an empty part, a long one, or one with many parts stays whole.
func Nest(name string) (dir, rest string) {
	parts := strings.Split(name, ".")
	if len(name) > maxNested || len(parts) > maxParts {
		return "", name
	}
	for i, p := range parts {
		if parts[i] = label.From(p, ""); parts[i] == "" {
			return "", name
		}
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], "."), name[strings.LastIndexByte(name, '.')+1:]
}

// byKey returns a unique label for each want, by key.
func byKey(wants []label.Want) map[string]string {
	names := make(map[string]string, len(wants))
	for i, name := range new(label.Set).TakeAll(wants) {
		names[wants[i].Key] = name
	}
	return names
}

// PrimitiveNames returns a unique name for each resource or prompt, by key. It is made from its name, or else from
// its title or the end of its URI.
func PrimitiveNames(kind toolid.Kind, list []*Primitive, had map[string]string) map[string]string {
	wants := make([]label.Want, len(list))
	for i, d := range list {
		name := label.From(lastSegment(d.Key), string(kind))
		name = label.From(d.Name, label.From(d.Title, name))
		wants[i] = label.Want{Key: d.Key, Label: name, Exact: name == d.Name, Had: had[d.Key]}
	}
	return byKey(wants)
}

// PrimitiveIDs returns the id of each resource or prompt, by key: from its name as the server spells it, made to
// fit (section 9.2), or else from its function's name. If a forged hash makes two ids equal, the later one gets a
// number. Exact names come first.
func PrimitiveIDs(kind toolid.Kind, label string, list []*Primitive, names map[string]string) map[string]toolid.Primitive {
	type spelled struct {
		*Primitive
		id   toolid.Primitive
		fits bool
	}
	sorted := make([]spelled, len(list))
	for i, d := range list {
		id, fits := d.id(kind, label, d.Name, 1)
		sorted[i] = spelled{d, id, fits}
	}
	slices.SortFunc(sorted, func(a, b spelled) int {
		switch {
		case a.fits && !b.fits:
			return -1
		case b.fits && !a.fits:
			return 1
		}
		return strings.Compare(a.Key, b.Key)
	})
	ids := make(map[string]toolid.Primitive, len(list))
	taken := make(map[toolid.Primitive]bool, len(list))
	next := make(map[string]int) // the next number for each stem
	for _, d := range sorted {
		name := d.Name
		if name == "" {
			name = names[d.Key]
			d.id, _ = d.Primitive.id(kind, label, name, 1)
		}
		if taken[d.id] {
			s := stem(d.id.Name)
			n := max(next[s], 2)
			for ; taken[d.id]; n++ {
				d.id, _ = d.Primitive.id(kind, label, name, n)
			}
			next[s] = n
		}
		taken[d.id], ids[d.Key] = true, d.id
	}
	return ids
}

// stem returns a name cut so that a number fits behind it in an id.
func stem(name string) string { return name[:min(len(name), 100)] }

// id returns the n-th id for a name below a label, and whether the name is in it unchanged. For a prompt with a
// changed name, the hash covers the original, so that two prompts never share an id.
func (p *Primitive) id(kind toolid.Kind, label, name string, n int) (id toolid.Primitive, fits bool) {
	first, rest, _ := strings.Cut(label, ".")
	path := strings.TrimPrefix(rest+"."+name, ".")
	want := toolid.ID{Namespace: CanonicalPath(first), Name: path}.Fit()
	if n > 1 {
		want.Name = fmt.Sprintf("%s_%d", stem(want.Name), n)
	}
	if kind == toolid.Resource {
		id, _ = toolid.FromResource(want.Namespace, want.Name, p.Key) // a name that fits is no error
		return id, want.Name == path
	}
	identity := make([]string, 0, len(p.Arguments)+1)
	for _, a := range p.Arguments {
		identity = append(identity, a.Name)
	}
	if fits = want.Name == path; !fits {
		identity = append(identity, path)
	}
	id, _ = toolid.FromPrompt(want.Namespace, want.Name, identity)
	return id, fits
}

// lastSegment returns the end of a URI, without its query.
func lastSegment(uri string) string {
	if i := strings.IndexAny(uri, "?#"); i > 0 {
		uri = uri[:i]
	}
	uri = strings.TrimRight(uri, "/")
	return uri[strings.LastIndexAny(uri, "/:")+1:]
}

// CanonicalPath returns a dotted path in canonical form; "" if it is none.
func CanonicalPath(path string) string {
	c, _ := registry.CanonicalPath(path)
	return c
}
