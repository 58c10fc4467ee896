package registry

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/search"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Node is one entry of what is browsed: a namespace, a function or a skill,
// and nil for the other two. It must not be modified.
type Node struct {
	// Path is where to browse it, such as /orders/retail/create.
	Path string
	// Namespace has the children. That of /mcp has an empty Path if it holds
	// nothing but the root's own functions and skills.
	Namespace *Child
	Function  *Function
	Skill     *Skill

	root bool // the namespace also holds what is in the root itself
}

// Browse returns what stands at a path, such as / or /orders/retail, as the
// caller in ctx sees it (gateway surface, section 3.2): the children of a
// namespace, or else the function or skill alone. A last segment * changes
// nothing. For every child of every page, Browse of its Path shows what it is.
//
// The segments are canonical labels; a path may be asked for with underscores in
// them. Under / stand the namespaces only, and /mcp for the root's own functions
// and skills, together with those of a namespace that is called so. Segments
// keep the grammar: what may not stand in one becomes a hyphen, an n leads what
// cannot begin it, and beyond 64 characters it is cut. Where two would be the
// same, namespaces come before functions and those before skills, and
// the later ones get a number: summary, summary-2.
//
// An error is of kind [InvalidPath] if the path is malformed, and of
// [UnknownPath] if nothing is there or nothing that the caller sees. Browse
// costs one listing for each segment.
func Browse(ctx context.Context, src Source, path string) ([]Node, error) {
	segments, err := toolid.ParsePath(path)
	if err != nil {
		return nil, malformed(path, err)
	}
	if n := len(segments); n > 0 && segments[n-1] == toolid.Wildcard {
		segments = segments[:n-1]
	}
	var at Node // stands for /
	for _, s := range segments {
		nodes, err := at.open(ctx, src)
		if err != nil {
			return nil, gone(path, err)
		}
		i := find(nodes, at.Path, s)
		if i < 0 {
			return nil, nothingAt(path, at.Path, similarNodes(nodes, at.Path, s)...)
		}
		at = nodes[i]
	}
	nodes, err := at.open(ctx, src)
	if err != nil {
		return nil, gone(path, err)
	}
	return nodes, nil
}

// find returns the index of the node that a segment below parent names: as it is
// spelled, or else without hyphens too, which names of other servers have.
func find(nodes []Node, parent, segment string) int {
	path := parent + "/" + strings.ReplaceAll(segment, "_", "")
	if i := slices.IndexFunc(nodes, func(n Node) bool { return n.Path == path }); i >= 0 {
		return i
	}
	path = parent + "/" + strings.ReplaceAll(path[len(parent)+1:], "-", "")
	return slices.IndexFunc(nodes, func(n Node) bool { return n.Path == path })
}

// similarNodes returns the paths of the nodes below parent that a segment which
// is none of them may stand for.
func similarNodes(nodes []Node, parent, segment string) []string {
	segments := make([]string, len(nodes))
	for i, n := range nodes {
		segments[i] = strings.TrimPrefix(n.Path, parent+"/")
	}
	similar := search.Similar(segment, segments, maxSuggestions)
	for i := range similar {
		similar[i] = parent + "/" + similar[i]
	}
	return similar
}

// top returns what stands under /: a node for each namespace.
func top(ctx context.Context, src Source) ([]Node, error) {
	l, err := src.List(ctx, "")
	if err != nil {
		return nil, err
	}
	nodes := make([]Node, 0, len(l.Namespaces)+1)
	for i := range l.Namespaces {
		nodes = append(nodes, Node{Namespace: &l.Namespaces[i]})
	}
	if len(l.Functions) > 0 || len(l.Skills) > 0 {
		i, found := slices.BinarySearchFunc(nodes, rootNamespace, func(n Node, name string) int {
			return strings.Compare(canonicalOr(n.Namespace.Name, Canonical), name)
		})
		c := Child{Name: rootNamespace, Description: l.Description}
		if found {
			c = *nodes[i].Namespace
		} else {
			nodes = slices.Insert(nodes, i, Node{})
		}
		c.HasFunctions = c.HasFunctions || len(l.Functions) > 0
		c.HasSkills = c.HasSkills || len(l.Skills) > 0
		nodes[i] = Node{Namespace: &c, root: true}
	}
	number(nodes, "")
	return nodes, nil
}

// open returns what stands at n: its children, or n alone.
func (n Node) open(ctx context.Context, src Source) ([]Node, error) {
	switch {
	case n.Path == "":
		return top(ctx, src)
	case n.Namespace == nil:
		return []Node{n}, nil
	}
	var lists [2]Listing // of the namespace, and of the root if it is here too
	if n.Namespace.Path != "" {
		l, err := src.List(ctx, n.Namespace.Path)
		if err != nil {
			return nil, err
		}
		lists[0] = *l
	}
	if n.root {
		l, err := src.List(ctx, "")
		if err != nil {
			return nil, err
		}
		lists[1].Functions, lists[1].Skills = l.Functions, l.Skills
	}
	nodes := make([]Node, 0, len(lists[0].Namespaces)+len(lists[0].Functions)+len(lists[1].Functions))
	for i := range lists[0].Namespaces {
		nodes = append(nodes, Node{Namespace: &lists[0].Namespaces[i]})
	}
	for _, l := range lists {
		for _, f := range l.Functions {
			nodes = append(nodes, Node{Function: f})
		}
	}
	for _, l := range lists {
		for _, s := range l.Skills {
			nodes = append(nodes, Node{Skill: s})
		}
	}
	number(nodes, n.Path)
	return nodes, nil
}

// name returns the label of what the node is.
func (n *Node) name() string {
	switch {
	case n.Namespace != nil:
		return n.Namespace.Name
	case n.Function != nil:
		return n.Function.Name()
	}
	return n.Skill.Name()
}

// maxSegment is the number of characters that a segment has at most.
const maxSegment = 64

// number gives the nodes below parent their paths, all different. A number is
// left out where it would make the segment of another.
func number(nodes []Node, parent string) {
	given := make(map[string]bool, len(nodes)) // by segment; false until the first takes it
	for i := range nodes {
		nodes[i].Path = segment(nodes[i].name(), parent == "")
		given[nodes[i].Path] = false
	}
	last := make(map[string]int) // number behind each stem
	for i := range nodes {
		s := nodes[i].Path
		if given[s] {
			// Room for any number, so that those behind one stem never repeat.
			stem := s[:min(len(s), maxSegment-len("-1234567"))]
			for taken := true; taken; _, taken = given[s] {
				last[stem] = max(last[stem], 1) + 1
				s = stem + "-" + strconv.Itoa(last[stem])
			}
		}
		given[s] = true
		nodes[i].Path = parent + "/" + s
	}
}

// segment returns how a label is spelt in a path. Labels of a [Registry] are
// legal but for their length and, at the top, their first character.
func segment(label string, top bool) string {
	s, ok := Canonical(label)
	if !ok {
		s = strings.Map(func(r rune) rune {
			switch {
			case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
				return r
			case 'A' <= r && r <= 'Z':
				return r + 'a' - 'A'
			case r == '_':
				return -1
			}
			return '-'
		}, label)
	}
	if s == "" || s[0] == '-' || top && s[0] <= '9' {
		s = "n" + s
	}
	return s[:min(len(s), maxSegment)]
}

// malformed and nothingAt depend on nothing but the path and on what the caller
// sees above it, so that hidden and absent cannot be told apart (R54).

func malformed(path string, err error) error {
	if reason := errors.Unwrap(err); reason != nil {
		err = reason // without the path, which is shown as all names are
	}
	return &Error{Kind: InvalidPath, Name: path, Message: "Invalid path " + quoteName(path) + ": " + err.Error() + ".",
		Hint: "Browse `/` to see what is there."}
}

// gone returns the error for a namespace that vanished while it was looked at.
func gone(path string, err error) error {
	if errors.Is(err, UnknownNamespace) {
		return nothingAt(path, "")
	}
	return err
}

func nothingAt(path, nearest string, meant ...string) error {
	message := "Nothing at path " + quoteName(path) + "."
	if len(meant) > 0 {
		message += " Did you mean `" + strings.Join(meant, "` or `") + "`?"
	}
	return &Error{Kind: UnknownPath, Name: path, Message: message,
		Hint: "Browse `" + cmp.Or(nearest, "/") + "` to see what is there."}
}
