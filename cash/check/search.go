package check

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// searchChecks are about help's argument search, of servers that have one: the
// RFC leaves help's arguments to them, but not what belongs on a page of lists.
var searchChecks = []criterion{
	{"R45a", "a search lists functions, and help documents each", needSearch, searchResults},
}

// searches reports whether the argument does anything on the page help().
func (s *suite) searches(base *client.Reply) bool {
	if !mentions(base.Text, "search") || len(s.tree.leaves) == 0 {
		return false
	}
	reply, err := s.conn.Tool("help", searchArgs("", s.tree.leaves[0].path()))
	return err == nil && !reply.IsError && !same(base, reply)
}

func searchArgs(namespace, query string) object {
	return named("namespace", namespace).and("kwargs", object{"search": query})
}

func searchResults(p *probe) {
	for _, l := range sampled(p.tree.leaves, breadth/2) {
		args := searchArgs("", l.path())
		found := p.found(args)
		p.should(l.in(found), "help%s does not list the function that it names", args)
		for _, f := range sampled(found, breadth/4) {
			p.should(!p.tool("help", f.args()).IsError, "help%s lists %s, which help does not document", args, f.path())
		}
	}
	if l := p.namespaced(); l.namespace != "" {
		args := searchArgs(l.namespace, l.name)
		found := p.found(args)
		p.should(l.in(found), "help%s does not list the function that it names", args)
		for _, f := range found {
			p.should(strings.HasPrefix(canonical(f.path()), canonical(l.namespace)+"."), "help%s lists %s, which is elsewhere", args, f.path())
		}
	}
	p.found(searchArgs("", absent+" "+strings.Repeat(absent, 1000))) // nothing, or anything
	if p.json {
		p.foundJSON(p.tree.leaves[len(p.tree.leaves)-1])
	}
}

// found returns what a search lists, and checks that it does no more.
func (p *probe) found(args object) []leaf {
	reply := p.tool("help", args)
	p.must(!reply.IsError, "help%s fails: %s", excerpt(args.String()), excerpt(reply.Text))
	pg := parsePage(reply.Text, "")
	p.noDetail("help"+args.String(), pg)
	return leavesOf(pg)
}

// leavesOf returns the functions that a page of a search names in full.
func leavesOf(pg *page) []leaf {
	var list []leaf
	for _, e := range pg.entries {
		list = append(list, leafAt(e.name))
	}
	return list
}

func leafAt(path string) leaf {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return leaf{path[:i], path[i+1:]}
	}
	return leaf{"", path}
}

// in reports whether a list has l, in any spelling.
func (l leaf) in(list []leaf) bool {
	return slices.ContainsFunc(list, func(o leaf) bool { return canonical(o.path()) == canonical(l.path()) })
}

// foundJSON checks that a search says the same in JSON.
func (p *probe) foundJSON(l leaf) {
	args := searchArgs("", l.path())
	want := p.found(args)
	reply := p.tool("help", object{"kwargs": object{"search": l.path(), "format": "json"}})
	var list struct {
		Functions []struct{ Namespace, Name string }
	}
	err := json.Unmarshal([]byte(reply.Text), &list)
	var got []leaf
	for _, f := range list.Functions {
		got = append(got, leafAt(join(f.Namespace, f.Name)))
	}
	p.should(err == nil && slices.Equal(got, want), "help%s with format=json lists other functions than without: %s", args, excerpt(reply.Text))
}

// notFound checks that no search shows a function to the caller.
func (p *probe) notFound(hidden Sample) {
	l := leaf{hidden.Namespace, hidden.Function}
	for _, query := range []string{l.path(), l.name, l.namespace} {
		if query == "" {
			continue
		}
		p.must(!l.in(p.found(searchArgs("", query))), "a search for %q shows %s to a caller who may not see it", query, l.path())
	}
}
