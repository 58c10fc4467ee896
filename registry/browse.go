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

// A Node is one entry in a page of [Browse]: a namespace, a function or a skill. The other two
// fields are nil. A Node must not be modified.
type Node struct {
	// Path is the path that browses the node, such as /orders/retail/create.
	Path string
	// Namespace describes the namespace. The one at /mcp has an empty Path if it holds only the
	// root's own functions and skills.
	Namespace *Child
	Function  *Function
	Skill     *Skill

	root bool // the namespace also holds the root's functions and skills
}

// Browse returns the nodes at a path, such as / or /orders/retail, as the caller in ctx sees them
// (gateway surface, section 3.2). A namespace gives its children. A function or a skill gives
// itself alone. A last segment * changes nothing. Each child can be browsed at its own Path.
//
// The segments of a path:
//
//   - A segment is a canonical label. The path asked for may have underscores in it.
//   - / lists namespaces only. /mcp holds the root's own functions and skills, and those of a
//     namespace called mcp.
//   - An illegal character becomes a hyphen, an illegal first character gets n in front, and a
//     segment is cut at 64 characters.
//   - Equal segments get numbers, such as summary and summary-2: namespaces come first, then
//     functions, then skills.
//
// The error is of kind [InvalidPath] if the path is malformed. It is of kind [UnknownPath] if the
// caller sees nothing there. Browse makes one listing for each segment.
func Browse(ctx context.Context, src Source, path string) ([]Node, error) {
	segments, err := toolid.ParsePath(path)
	if err != nil {
		return nil, malformed(path, err)
	}
	if n := len(segments); n > 0 && segments[n-1] == toolid.Wildcard {
		segments = segments[:n-1]
	}
	var at Node // starts as /
	for _, s := range segments {
		nodes, err := at.open(ctx, src)
		if err != nil {
			return nil, gone(path, err)
		}
		i := find(nodes, at.Path, s)
		if i < 0 {
			if at.Namespace != nil {
				seek(ctx, src, at.Namespace.Path, strings.ReplaceAll(s, "-", ""))
			}
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

// find returns the index of the node below parent that a segment names, or -1. It looks for the
// segment as spelled: in the paths, then in the names of functions and of their tools. Then it
// looks without underscores, and without hyphens, which names of other servers may have; of
// functions that have only the spelling of their names in common, it chooses none.
func find(nodes []Node, parent, segment string) int {
	path := parent + "/" + segment
	if i := slices.IndexFunc(nodes, func(n Node) bool { return n.Path == path }); i >= 0 {
		return i
	}
	for _, spelled := range []func(*Function) bool{
		func(f *Function) bool { return f.name == segment },
		func(f *Function) bool { return f.tool == segment },
		func(f *Function) bool { return lastPart(f.spelled()) == segment },
	} {
		at, fits := -1, 0
		for i, n := range nodes {
			if n.Function != nil && spelled(n.Function) {
				at, fits = i, fits+1
			}
		}
		if fits > 0 {
			return onlyIf(fits == 1, at)
		}
	}
	at := findAlike(nodes, parent, segment)
	if at < 0 || nodes[at].Function == nil {
		return at
	}
	key, _ := Canonical(nodes[at].Function.name)
	return onlyIf(!slices.ContainsFunc(nodes, func(n Node) bool {
		f := n.Function
		if f == nil || f == nodes[at].Function {
			return false
		}
		own, _ := Canonical(f.name)
		return alone(own, f.spelled()) == key
	}), at)
}

func onlyIf(ok bool, i int) int {
	if ok {
		return i
	}
	return -1
}

// findAlike is find for a segment in another spelling.
func findAlike(nodes []Node, parent, segment string) int {
	path := parent + "/" + strings.ReplaceAll(segment, "_", "")
	if i := slices.IndexFunc(nodes, func(n Node) bool { return n.Path == path }); i >= 0 {
		return i
	}
	path = parent + "/" + strings.ReplaceAll(path[len(parent)+1:], "-", "")
	return slices.IndexFunc(nodes, func(n Node) bool { return n.Path == path })
}

// similarNodes returns paths of nodes below parent that are similar to an unknown segment.
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

// top returns the nodes under /, one for each namespace.
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

// open returns the children of n, or n alone if it is no namespace.
func (n Node) open(ctx context.Context, src Source) ([]Node, error) {
	switch {
	case n.Path == "":
		return top(ctx, src)
	case n.Namespace == nil:
		return []Node{n}, nil
	}
	var lists [2]Listing // the namespace's listing, and the root's if n stands for both
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

// name returns the label of the namespace, function or skill.
func (n *Node) name() string {
	switch {
	case n.Namespace != nil:
		return n.Namespace.Name
	case n.Function != nil:
		return n.Function.Name()
	}
	return n.Skill.Name()
}

// maxSegment is the most characters of a segment.
const maxSegment = 64

// number sets the paths of the nodes below parent, all different. It skips a number whose segment
// is taken by another node.
func number(nodes []Node, parent string) {
	given := make(map[string]bool, len(nodes)) // by segment; true after the first node took it
	for i := range nodes {
		nodes[i].Path = segment(nodes[i].name(), parent == "")
		given[nodes[i].Path] = false
	}
	last := make(map[string]int) // the last number used for each stem
	for i := range nodes {
		s := nodes[i].Path
		if given[s] {
			// Every number fits, so the segments of one stem never repeat.
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

// segment returns the spelling of a label in a path. Labels of a [Registry] need a change only if
// they are too long or, at the top, begin with an illegal character.
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

// The texts of malformed and nothingAt depend only on the path and on what the caller sees above
// it. A hidden node therefore looks the same as an absent one (R54).

func malformed(path string, err error) error {
	if reason := errors.Unwrap(err); reason != nil {
		err = reason // without the path, which the message shows in its bounded form
	}
	return &Error{Kind: InvalidPath, Name: path, Message: "Invalid path " + quoteName(path) + ": " + err.Error() + ".",
		Hint: "Browse `/` to see what is there."}
}

// gone returns the error for a namespace that disappeared during the walk.
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
