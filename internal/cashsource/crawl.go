package cashsource

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// Limits of reading a CaSH server.
const (
	maxCrawlPages     = 2000 // pages of help and lists of skills; also namespaces, which have one page each
	maxCrawlDepth     = 16   // levels of namespaces
	maxCrawlFunctions = 10_000
	maxCrawlSkills    = 10_000
	crawlers          = 8 // pages read in parallel
	pagePart          = 4 // one page may take 1/pagePart of the whole time
)

// place is one namespace of a CaSH server, as it was read.
type place struct {
	path        string
	description string
	instance    string // instance of its server; empty if unknown
	page        *cashtext.Page
	above       *place // nil for the root
	below       []*place
	children    map[string]*place    // subnamespaces, by canonical label
	declared    map[string]string    // definitions of the functions as the server declares them, by canonical name
	details     []*cashtext.Function // pages of the functions, by index; nil if there is none
	definitions []*pin.Definition    // definitions of the functions, if they are pinned
	skills      []*listed
	unavailable bool
}

// crawl reads the tree of a CaSH server within limits.
type crawl struct {
	*Source
	send   Ask
	pinned map[string]*pin.Definition

	mu        sync.Mutex
	pages     int
	places    int // number of namespaces
	functions int
	bytes     int   // bytes of functions' pages
	keptBytes int   // bytes of those that are kept for the next read
	missing   error // why a page is missing
	large     atomic.Int64
	windows   bool // help takes offset and limit; set before pages are read in parallel
}

// root reads the whole server.
func (c *crawl) root(ctx context.Context) (*place, error) {
	root := new(place)
	arguments := c.arguments(ctx)
	c.windows = takesWindow(arguments)
	if err := c.read(ctx, root); err != nil {
		return nil, err
	}
	root.page.Arguments = cmp.Or(arguments, root.page.Arguments)
	level := root.below
	for depth := 1; len(level) > 0; depth++ {
		if depth > maxCrawlDepth {
			c.note("namespaces of more than %d levels are left out", maxCrawlDepth)
			break
		}
		if err := c.level(ctx, level); err != nil {
			return nil, err
		}
		var next []*place
		for _, p := range level {
			next = append(next, p.below...)
		}
		level = next
	}
	if len(root.below)+len(root.page.Functions) == 0 {
		c.note("nothing is found on its page of help")
	}
	c.choose(root)
	if err := c.skills(ctx, root); err != nil {
		return nil, err
	}
	if err := c.details(ctx, root); err != nil {
		return nil, err
	}
	return root, nil
}

// choose leaves out the functions that the operator does not take, before their pages are read.
func (c *crawl) choose(root *place) {
	if c.Takes == nil {
		return
	}
	root.each(func(p *place) {
		if p.page == nil {
			return
		}
		p.page.Functions = slices.DeleteFunc(p.page.Functions, func(e cashtext.Entry) bool {
			path := wire.Join(p.path, e.Name)
			c.Paths = append(c.Paths, path)
			return !c.Takes(path)
		})
	})
}

// arguments reads which arguments help takes; empty if that is not found. It is read first: a server with long lists
// tells there how they are paged. A markdown page is written for models and may tell more than JSON.
func (c *crawl) arguments(ctx context.Context) string {
	a, err := c.ask(ctx, "help", map[string]any{})
	if err != nil || a.IsError {
		return ""
	}
	page, err := cashtext.ParseHelp(a.Text())
	if err != nil {
		return ""
	}
	return page.Arguments
}

// level reads the pages of namespaces in parallel. A failed page is left out, unless the connection failed.
func (c *crawl) level(ctx context.Context, places []*place) error {
	slots := make(chan struct{}, crawlers)
	failures := make(chan error, len(places))
	for _, p := range places {
		if p.unavailable {
			continue
		}
		slots <- struct{}{}
		go func() { // ends with ctx, which has a deadline
			defer func() { <-slots }()
			if err := apart.Guard(func() error { return c.read(ctx, p) }); err != nil {
				failures <- err
				c.note("namespace %s cannot be read: %v", p.path, err)
			}
		}()
	}
	for range crawlers {
		slots <- struct{}{}
	}
	close(failures)
	for err := range failures {
		c.Incomplete = true
		switch {
		case ctx.Err() != nil || kindOf(err) == Cut:
			return err
		case c.pinning() && kindOf(err) == Late:
			return unfinished(err)
		}
	}
	return nil
}

// read reads the page of a namespace.
func (c *crawl) read(ctx context.Context, p *place) error {
	page, err := c.pagesOf(ctx, p)
	if err != nil || page == nil {
		return err
	}
	p.page = page
	if p.above != nil && sameLists(p.page, p.above.page) && wire.CanonicalPath(p.page.Namespace) != wire.CanonicalPath(p.path) {
		p.page = nil
		return &Error{Kind: Malformed, Reason: "it lists the same as the namespace above it"}
	}
	if p.page.Guessed {
		c.decide(ctx, p)
	}
	for _, name := range p.page.Dropped {
		c.note("%q in namespace %q is no name, or there twice", name, p.path)
	}
	c.take(p.page)
	p.declared = ofListed(p.declared, p.page)
	for _, n := range p.page.Namespaces {
		p.add(n.Name, &place{path: wire.Join(p.path, n.Name), description: n.Description, instance: p.instance, unavailable: n.Unavailable})
	}
	return nil
}

// more reports whether another page may be read.
func (c *crawl) more() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages++
	if c.pages == maxCrawlPages+1 {
		c.Note("more than %d pages of help: the rest is left out", maxCrawlPages)
	}
	return c.pages <= maxCrawlPages
}

// take counts the entries of a page, and drops those over the limits.
func (c *crawl) take(p *cashtext.Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if room := maxCrawlPages - c.places; len(p.Namespaces) > room {
		p.Namespaces = p.Namespaces[:room]
		c.Note("more than %d namespaces: the rest is left out", maxCrawlPages)
	}
	c.places += len(p.Namespaces)
	if room := maxCrawlFunctions - c.functions; len(p.Functions) > room {
		p.Functions = p.Functions[:room]
		c.Note("more than %d functions: the rest is left out", maxCrawlFunctions)
	}
	c.functions += len(p.Functions)
}

func (c *crawl) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Note(format, args...)
}

// pinning reports whether definitions are compared with pins, which needs complete ones.
func (c *crawl) pinning() bool { return !c.Pins.Off() }

// skills reads the lists of skills, beginning with the root's, which names the namespaces that have some.
func (c *crawl) skills(ctx context.Context, root *place) error {
	list, err := c.skillList(ctx, "")
	if err != nil || list == nil {
		return err
	}
	room := maxCrawlSkills
	c.enter(root, root, list.Skills, &room)
	for _, ns := range list.Namespaces {
		if tooDeep(ns.Path) {
			continue
		}
		if !c.more() {
			return nil
		}
		p := root.at(ns.Path)
		below, err := c.skillList(ctx, ns.Path)
		if err != nil {
			return err
		}
		if below != nil {
			c.enter(root, p, below.Skills, &room)
		}
	}
	return nil
}

// enter adds the skills of p's list to their namespaces, while there is room.
func (c *crawl) enter(root, p *place, list []cashtext.SkillEntry, room *int) {
	for _, e := range list {
		switch at := p; {
		case *room == 0:
			c.note("more than %d skills: the rest is left out", maxCrawlSkills)
			return
		case tooDeep(e.Namespace):
			c.note("skill %s is left out: it is in a namespace of more than %d levels", e.Name, maxCrawlDepth)
		default:
			if e.Namespace != "" {
				at = root.at(e.Namespace)
			} else if below := root.find(e.Heading); e.Heading != "" && below != nil {
				at = below
			}
			at.skills = append(at.skills, &listed{SkillEntry: e})
			*room--
		}
	}
}

func tooDeep(path string) bool { return strings.Count(path, ".") >= maxCrawlDepth }

func (p *place) add(label string, b *place) {
	if p.children == nil {
		p.children = make(map[string]*place)
	}
	p.children[key(label)] = b
	p.below, b.above = append(p.below, b), p
}

// at returns the place at a path, and creates it if needed: a namespace may have skills but no functions.
func (p *place) at(path string) *place {
	label, rest, more := strings.Cut(path, ".")
	b := p.children[key(label)]
	if b == nil {
		b = &place{path: wire.Join(p.path, label), instance: p.instance}
		p.add(label, b)
	}
	if !more {
		return b
	}
	return b.at(rest)
}

// find returns the place at a path, or nil.
func (p *place) find(path string) *place {
	if path == "" {
		return p
	}
	label, rest, _ := strings.Cut(path, ".")
	if b := p.children[key(label)]; b != nil {
		return b.find(rest)
	}
	return nil
}

// each visits the place and all places below it.
func (p *place) each(visit func(*place)) {
	visit(p)
	for _, b := range p.below {
		b.each(visit)
	}
}

// paths returns the canonical paths of all namespaces below p.
func (p *place) paths() map[string]bool {
	known := make(map[string]bool)
	p.each(func(b *place) {
		if b != p {
			known[wire.CanonicalPath(b.path)] = true
		}
	})
	return known
}

// functionPaths returns the canonical paths of all functions of p and below.
func (p *place) functionPaths() map[string]bool {
	known := make(map[string]bool)
	p.each(func(b *place) {
		if b.page == nil {
			return
		}
		for _, f := range b.page.Functions {
			known[wire.CanonicalPath(wire.Join(b.path, f.Name))] = true
		}
	})
	return known
}

// ask calls help or skill. Each page has a limited part of the whole time, so that one cannot use it up.
func (c *crawl) ask(ctx context.Context, tool string, args map[string]any) (*wire.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.ReadTimeout/pagePart)
	defer cancel()
	a, err := c.send(ctx, tool, c.dialect.arguments(tool, args))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	return a, nil
}
