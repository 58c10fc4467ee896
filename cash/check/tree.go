package check

import (
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

const (
	maxPages     = 500 // help pages that are read
	maxTreeDepth = 64
	maxPath      = 1024 // bytes of a path
	maxSkills    = 200  // skills that are read
)

// A place is a namespace with its help pages.
type place struct {
	path       string
	page       *page
	namespaces []entry
	functions  []entry
	json       []entry // entries of the JSON page; nil if there is none
}

// entriesOf returns the entries for one member, from the markdown and the JSON page.
func (p *place) entriesOf(name string, k entryKind) []entry {
	var list []entry
	for _, e := range slices.Concat(p.page.entries, p.json) {
		if canonical(e.name) == canonical(name) && (e.kind == k || e.kind == unknown) {
			list = append(list, e)
		}
	}
	return list
}

// members returns the namespaces and functions of the place.
func (p *place) members() []entry { return slices.Concat(p.namespaces, p.functions) }

// A leaf is a function listed in help.
type leaf struct {
	namespace, name string
}

func (l leaf) path() string { return join(l.namespace, l.name) }
func (l leaf) args() object { return named("namespace", l.namespace, "function", l.name) }

// A tree is the content of help, parents first.
type tree struct {
	places []*place
	leaves []leaf
	cut    bool // a limit was reached
}

func (t *tree) root() *place { return t.places[0] }

// find returns the namespace with a canonical path; nil if there is none.
func (t *tree) find(path string) *place {
	for _, p := range t.places {
		if canonical(p.path) == canonical(path) {
			return p
		}
	}
	return nil
}

// growTree reads help from the root. Unanswered pages are left out; the checks report them.
func growTree(c *client.Conn, json bool) (*tree, error) {
	g := &grower{conn: c, json: json, tree: &tree{}}
	if err := g.visit("", 0); err != nil {
		return nil, err
	}
	return g.tree, nil
}

type grower struct {
	conn  *client.Conn
	json  bool
	tree  *tree
	asked int // entries whose kind had to be requested
}

func (g *grower) visit(path string, depth int) error {
	if len(g.tree.places) == maxPages || depth > maxTreeDepth || len(path) > maxPath {
		g.tree.cut = true
		return nil
	}
	reply, err := g.conn.Tool("help", named("namespace", path))
	if err != nil {
		return err
	}
	if reply.IsError && path != "" {
		return nil
	}
	p := &place{path: path, page: parsePage(reply.Text, path)}
	if g.json {
		p.json = g.jsonEntries(path)
	}
	g.tree.places = append(g.tree.places, p)
	if err := g.sort(p); err != nil {
		return err
	}
	for _, f := range p.functions {
		g.tree.leaves = append(g.tree.leaves, leaf{path, f.name})
	}
	for _, n := range p.namespaces {
		if err := g.visit(join(path, n.name), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (g *grower) jsonEntries(path string) []entry {
	reply, err := g.conn.Tool("help", named("namespace", path).and("kwargs", object{"format": "json"}))
	if err != nil || reply.IsError {
		return nil
	}
	list, _ := parseJSON(reply.Text)
	return list
}

// sort separates namespaces from functions: by the JSON page, by headings, or by requests.
func (g *grower) sort(p *place) error {
	seen := make(map[string]bool)
	for _, e := range p.json {
		seen[e.name] = true
	}
	list := p.json
	for _, e := range p.page.entries {
		if !seen[e.name] {
			list = append(list[:len(list):len(list)], e)
		}
	}
	for _, e := range list {
		if e.kind == unknown {
			if g.asked++; g.asked > maxPages {
				g.tree.cut = true
				continue
			}
			reply, err := g.conn.Tool("help", named("namespace", join(p.path, e.name)))
			if err != nil {
				return err
			}
			e.kind = namespace
			if reply.IsError {
				e.kind = function
			}
		}
		switch e.kind {
		case namespace:
			p.namespaces = append(p.namespaces, e)
		case function:
			p.functions = append(p.functions, e)
		}
	}
	return nil
}

// readSkills reads the root's list of skills, and those of the namespaces that it names.
func readSkills(c *client.Conn) ([]SkillSample, error) {
	var found []SkillSample
	queue, seen := []string{""}, make(map[string]bool)
	for len(queue) > 0 && len(found) < maxSkills && len(seen) < maxPages {
		path := queue[0]
		queue = queue[1:]
		if seen[path] || len(path) > maxPath {
			continue
		}
		seen[path] = true
		reply, err := c.Tool("skill", named("namespace", path))
		if err != nil {
			return nil, err
		}
		if reply.IsError {
			continue
		}
		for _, e := range parsePage(reply.Text, path).entries {
			l := leaf{path, e.name}
			if path == "" {
				l = leafAt(e.name)
			}
			if e.kind == namespace {
				queue = append(queue, e.name)
			} else {
				found = append(found, SkillSample{Namespace: l.namespace, Name: l.name})
			}
		}
	}
	return found[:min(len(found), maxSkills)], nil
}

// join appends a label to a dotted path.
func join(path, label string) string {
	if path == "" {
		return label
	}
	return path + "." + label
}

// canonical returns the form in which names are compared (RFC 5.1). It accepts any text.
func canonical(path string) string {
	return strings.ToLower(strings.ReplaceAll(path, "_", ""))
}

// respell returns another spelling of a path.
func respell(path string) string {
	labels := strings.Split(path, ".")
	for i, label := range labels {
		labels[i] = "_" + swapCase(label) + "__"
		if len(label) > 1 {
			labels[i] = swapCase(label[:1]) + "_" + swapCase(label[1:])
		}
	}
	return strings.Join(labels, ".")
}

// spellings returns several spellings of a path. The root has none.
func spellings(path string) []string {
	if path == "" {
		return nil
	}
	return []string{strings.ToUpper(path), canonical(path), respell(path)}
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, s)
}
