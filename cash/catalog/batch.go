package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// content is a catalog's content of one kind.
type content struct {
	read       map[string]*definition // by raw text, refused ones included
	served     map[string]*served     // by key
	namespaces map[string]string      // labels by the ids' namespaces
}

// served is a definition with its function. It is immutable.
type served struct {
	*definition
	id       toolid.Primitive
	server   string // name of its server; may be empty
	path     string // of the function, within the namespace of the id
	function *registry.Function
}

// A batch builds the content of one kind from one list of a document.
type batch struct {
	kind   kind
	opts   *Options
	had    *content // content before the load
	report *Report

	entries []entry
}

// An entry is an element of the list during a load.
type entry struct {
	*definition
	line   int
	id     toolid.Primitive // zero if not served
	server string           // name of its server; may be empty
	key    string           // with the server, if there is one
}

func (b *batch) load(l list) *content {
	c := &content{
		read:       make(map[string]*definition, len(l.elements)),
		served:     make(map[string]*served, len(l.elements)),
		namespaces: make(map[string]string),
	}
	b.read(c, l)
	b.identify()
	b.place(c)
	return c
}

// read parses the definitions that were not there before.
func (b *batch) read(c *content, l list) {
	b.entries = make([]entry, 0, len(l.elements))
	for _, e := range l.elements {
		d := c.read[string(e.raw)]
		if d == nil {
			d = b.had.read[string(e.raw)]
		}
		if d == nil {
			d = newDefinition(b.kind, e.raw, &b.opts.Limits)
		}
		c.read[d.raw] = d
		if d.refused != nil {
			b.find(d, e.line, Refused, d.refused)
			continue
		}
		for _, f := range d.flags {
			b.report.add(b.kind.kind, d.name, e.line, Flagged, f)
		}
		b.entries = append(b.entries, newEntry(d, e.line, cmp.Or(d.server, l.server)))
	}
	if l.beyond > 0 {
		b.report.beyond(b.kind, l)
	}
}

// newEntry returns an entry without an id. Only tools have servers.
func newEntry(d *definition, line int, server string) entry {
	e := entry{definition: d, line: line, server: server, key: d.key}
	if server != "" {
		e.key = server + "\n" + d.key
	}
	return e
}

func (b *batch) find(d *definition, line int, status Status, problem error) {
	b.report.add(b.kind.kind, d.name, line, status, problem.Error())
}

// place gives labels to entries with an id, and builds their functions.
func (b *batch) place(c *content) {
	paths := b.paths(c)
	for i, e := range b.entries {
		if e.id == (toolid.Primitive{}) {
			continue
		}
		s := &served{e.definition, e.id, e.server, paths[i], nil}
		if was := b.had.served[e.key]; was != nil && was.definition == s.definition && was.id == s.id && was.server == s.server && was.path == s.path {
			s = was
		} else {
			s.function = s.newFunction()
		}
		if problem := s.function.Problem(); problem != nil {
			b.find(e.definition, e.line, Flagged, schemaProblem(s.function, problem))
		}
		c.served[e.key] = s
	}
}

// schemaProblem says how far the schema of a function with a problem is used.
func schemaProblem(f *registry.Function, problem error) error {
	if f.SchemaShown() {
		return fmt.Errorf("inputSchema is used in part: %w", problem)
	}
	return fmt.Errorf("inputSchema is not used: %w", problem)
}

// tree returns a registry of all served definitions.
func (c *content) tree() (*registry.Registry, error) {
	byNamespace := make(map[string][]*registry.Function, len(c.namespaces))
	for _, s := range c.served {
		path, _ := wire.Split(wire.Join(c.namespaces[s.id.Namespace], s.path))
		byNamespace[path] = append(byNamespace[path], s.function)
	}
	tree := registry.New(nil)
	for _, path := range slices.Sorted(maps.Keys(byNamespace)) { // in order: the first spelling of a namespace is part of its ids
		n, err := tree.TryNamespace(path, "")
		if err != nil {
			return nil, err
		}
		if err := n.TryAdd(byNamespace[path]...); err != nil {
			return nil, err
		}
	}
	return tree, nil
}
