package check

import (
	"regexp"
	"slices"
	"strings"
)

// layerChecks check which content belongs on which page of help (RFC 4.2, 6).
var layerChecks = []criterion{
	{"R40", "help() lists top-level namespaces only", none, indexLayer},
	{"R41", "help(namespace) lists direct members only", needNamespace, namespaceLayer},
	{"R42", "help(namespace, function) documents a function", needFunction, functionLayer},
	{"R43", "namespaces and functions stand under headings of their own", needMixed, headings},
	{"R48", "help() lists the root's functions", needRoot, rootFunctions},
	{"R50", "each entry is one line", needFunction, oneLine},
	{"R51", "cost grows with depth", needFunction, growingCost},
}

func indexLayer(p *probe) {
	reply := p.tool("help", nil)
	p.must(!reply.IsError, "help() fails: %s", excerpt(reply.Text))
	p.must(len(p.tree.leaves)+len(p.tree.places) > 1, "nothing could be found through help(): %s", excerpt(reply.Text))
	p.list(p.tree.root())
}

func namespaceLayer(p *probe) {
	for _, pl := range sampled(p.tree.places[1:], maxPages/5) {
		p.must(len(pl.members()) > 0, "help(%s) lists nothing: %s", pl.path, excerpt(pl.page.text))
		p.list(pl)
	}
}

var signature = regexp.MustCompile(`^[*` + "`" + `]*\([^)]*(,|:|=|\bstring\b|\binteger\b)[^)]*\)`)

// list checks a list page: every entry is a direct member, and no parameters are described.
func (p *probe) list(pl *place) {
	where := "help(" + pl.path + ")"
	for _, n := range pl.namespaces {
		path := join(pl.path, n.name)
		if below := p.tree.find(path); p.must(below != nil, "%s lists %q, but help(namespace=%q) fails", where, n.name, path) {
			for _, e := range pl.entriesOf(n.name, namespace) {
				p.must(!enumerates(e.description, namesOf(below.members())), "%s tells what is in %q: %s", where, e.name, e.line)
			}
		}
	}
	for _, e := range pl.page.entries {
		p.must(!e.nested && !strings.Contains(e.name, "."), "%s has an entry of a deeper layer: %s", where, e.line)
	}
	p.noDetail(where, pl.page)
	for _, f := range sampled(pl.functions, breadth) {
		reply := p.tool("help", leaf{pl.path, f.name}.args())
		p.must(!reply.IsError, "%s lists %q, which is no member: %s", where, f.name, excerpt(reply.Text))
		doc := parsePage(reply.Text, join(pl.path, f.name))
		for _, e := range pl.entriesOf(f.name, function) {
			p.must(!enumerates(e.description, parameters(doc)), "%s tells the parameters of %q: %s", where, e.name, e.line)
		}
	}
}

// noDetail checks that a page does not describe parameters.
func (p *probe) noDetail(where string, pg *page) {
	for _, e := range pg.entries {
		p.must(!signature.MatchString(e.description), "%s has a signature: %s", where, e.line)
	}
	for _, head := range pg.tables {
		for _, cell := range head {
			p.must(!says(cell, "required", "parameter", "type"), "%s has a table of parameters: %q", where, head)
		}
	}
}

// enumerates reports whether a line lists names of a deeper layer. Names may be ordinary words, so one or two prove
// nothing. It takes markup, a parenthesis, or three names (or all, if there are two).
func enumerates(line string, names []string) bool {
	found := 0
	for _, name := range names {
		if strings.Contains(line, "`"+name+"`") || strings.Contains(line, name+"(") {
			return true
		}
		if slices.Contains(words(line), name) {
			found++
		}
	}
	return found >= 3 || found == 2 && len(names) == 2
}

func words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	})
}

// parameters returns the names in a parameter table.
func parameters(doc *page) []string {
	return namesOf(slices.DeleteFunc(doc.entries, func(e entry) bool { return !strings.HasPrefix(e.line, "|") }))
}

func functionLayer(p *probe) {
	for _, l := range sampled(p.tree.leaves, maxPages/5) {
		reply := p.tool("help", l.args())
		// R40 and R41 check that listed functions exist.
		p.must(reply.IsError || strings.Contains(canonical(reply.Text), canonical(l.name)), "help%s does not name the function: %s", l.args(), excerpt(reply.Text))
	}
	if p.Read == nil {
		p.note("not checked: which parameters are documented (Target.Read is nil)")
		return
	}
	args := named("namespace", p.Read.Namespace, "function", p.Read.Function)
	base := p.tool("help", args).Text
	full := base
	if mentions(base, "params") && mentions(base, "full") {
		full = p.tool("help", args.and("kwargs", object{"params": "full"})).Text
		p.must(full != base, "help%s offers params=full, which adds nothing", args)
	}
	for key := range p.readKwargs() {
		p.must(strings.Contains(canonical(full), canonical(key)), "help%s does not document the parameter %q: %s", args, key, excerpt(full))
	}
}

func (s *suite) mixed() []*place {
	var list []*place
	for _, pl := range s.tree.places {
		if len(pl.namespaces) > 0 && len(pl.functions) > 0 {
			list = append(list, pl)
		}
	}
	return list
}

func headings(p *probe) {
	for _, pl := range p.mixed() {
		last := unknown
		for _, e := range pl.page.entries {
			p.should(e.kind == namespace || e.kind == function, "help(%s) lists %q under no heading of its kind", pl.path, e.name)
			p.should(last != function || e.kind != namespace, "help(%s) lists functions before namespaces", pl.path)
			last = e.kind
		}
	}
}

func rootFunctions(p *probe) {
	listed := p.tree.root().functions
	if p.Read != nil && p.Read.Namespace == "" {
		p.should(slices.ContainsFunc(listed, func(e entry) bool { return canonical(e.name) == canonical(p.Read.Function) }),
			"help() does not list the root's function %q", p.Read.Function)
	}
	for _, f := range listed {
		p.should(f.description != "", "help() does not describe the function %q", f.name)
	}
}

func oneLine(p *probe) {
	for _, pl := range p.tree.places {
		p.should(len(pl.page.wrapped) == 0, "help(%s) has entries of more than one line: %q", pl.path, pl.page.wrapped)
		for _, e := range pl.json {
			p.should(!strings.ContainsAny(e.description, "\r\n"), "help(%s) as JSON describes %q in more than one line", pl.path, e.name)
		}
	}
}

// growingCost checks that an entry is never longer than the page it stands for.
func growingCost(p *probe) {
	for _, l := range sampled(p.tree.leaves, breadth) {
		pl := p.tree.find(l.namespace)
		doc := p.tool("help", l.args())
		for _, e := range pl.entriesOf(l.name, function) {
			p.should(len(e.description) <= len(doc.Text), "the entry of %s is longer than its page", l.path())
		}
	}
	for _, pl := range p.tree.places {
		for _, n := range pl.namespaces {
			below := p.tree.find(join(pl.path, n.name))
			for _, e := range pl.entriesOf(n.name, namespace) {
				p.should(below == nil || len(e.description) <= len(below.page.text), "the entry of %s is longer than its page", join(pl.path, n.name))
			}
		}
	}
}
