package upstream

import (
	"context"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// A CaSH server is read once: what there is becomes a part of the tree, one
// line each. What it says of a function, and the texts of skills, are fetched
// when somebody asks, and kept for a while (pages).

// loadCaSH makes a catalog of what is behind the tools call, help and skill.
func (u *upstream) loadCaSH(ctx context.Context, s *session, c *catalog, defs []*Definition) error {
	c.kind, c.dialect = CaSH, dialectOf(defs)
	if !hasCore(defs) {
		return &CallError{Class: Malformed, Sent: true, Reason: "it is set up as a CaSH server, and has not the tools call, help and skill"}
	}
	root, tools, err := u.explore(ctx, s, c, defs)
	if err != nil {
		return err
	}
	if root == nil {
		return u.withhold(c)
	}
	tools = slices.DeleteFunc(tools, func(d *Definition) bool { return isCore(d.Name) })
	u.name(c, tools)
	extra := u.functions(c, tools)
	limit := root.page.SizeLimit
	if limit == 0 {
		limit = gate.Default
	}
	b := &builder{up: u, catalog: c, pages: newPages(), limit: limit, known: root.paths()}
	c.about, c.instance = s.about("Tools"), root.instance
	c.offered, c.whole = make(map[string]string), make(map[string]bool)
	planted := make(trees, len(u.mounts))
	for _, m := range u.mounts {
		if planted[m.key()], err = b.tree(root, m, extra); err != nil {
			return err
		}
	}
	c.trees = &planted
	return nil
}

// explore reads what is behind the tools call, help and skill, and returns of it,
// and of the tools, what may be served. There is no root if one of the three may
// not: then they are not even asked.
func (u *upstream) explore(ctx context.Context, s *session, c *catalog, defs []*Definition) (root *place, tools []*Definition, err error) {
	pinned, err := u.pinned(ctx)
	if err != nil {
		return nil, nil, err
	}
	mode := u.agg.opts.Mode
	if served, quarantined, _ := review(mode, pinned, defs); !hasCore(served) {
		u.quarantine(c, quarantined)
		return nil, nil, nil
	}
	crawl := &crawl{up: u, session: s, catalog: c, each: u.cfg.ConnectTimeout / pagePart, pinning: mode != PinOff, pinned: pinned}
	if root, err = crawl.root(ctx); err != nil {
		return nil, nil, err
	}
	all, err := u.reviewed(ctx, c, slices.Concat(defs, root.allDefinitions()))
	if err != nil {
		return nil, nil, err
	}
	var functions []*Definition
	for _, d := range all {
		if d.Function {
			functions = append(functions, d)
		} else {
			tools = append(tools, d)
		}
	}
	if !hasCore(tools) { // the pins have changed in the meantime
		return nil, nil, nil
	}
	if crawl.pinning {
		root.keep(functions)
	}
	return root, tools, nil
}

// builder makes trees of what was read of a CaSH server.
type builder struct {
	up      *upstream
	catalog *catalog
	pages   *pages
	limit   int             // of the server's gate
	known   map[string]bool // canonical paths of the server's namespaces
}

// tree returns what stands at a mount. Tools that the server has besides the
// three stand at the top of it.
func (b *builder) tree(root *place, m mount, extra []*registry.Function) (*registry.Registry, error) {
	base := root.find(m.namespace)
	if base == nil && m.orRoot {
		base, m.namespace = root, ""
	}
	if base == nil {
		return nil, &CallError{Class: Malformed, Sent: true, Reason: fmt.Sprintf("it has no namespace %.64s", m.namespace)}
	}
	t := registry.New(&registry.Options{VisibleTo: b.up.cfg.VisibleTo})
	about := b.catalog.about
	if base != root {
		about = base.description
	}
	top := t.Namespace("", clean.FirstLine(b.up.describe(m, about), maxAbout)).Note(further(root.page.Arguments))
	v := view{builder: b, mount: m, text: cashtext.Mount{From: base.path, To: m.label, Known: b.known, Beside: b.beside(root, m)}}
	if base == root {
		b.catalog.whole[m.key()] = true
		names := make(map[string]bool)
		for _, f := range base.page.Functions {
			names[key(f.Name)] = true
		}
		for _, f := range extra {
			if names[key(f.Name())] { // the tree comes first
				b.catalog.note("tool %q has the name of a function in the root and is left out", f.Tool())
				continue
			}
			if err := top.TryAdd(f); err != nil {
				return nil, err
			}
			b.catalog.functions++
		}
	}
	if err := v.fill(t, "", base); err != nil {
		return nil, err
	}
	if base != root && b.speaksForRoot(root, m) {
		v.addSkills(top, root)
	}
	return t, nil
}
