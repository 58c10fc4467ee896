package check

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// helpArgumentChecks check help's further arguments (RFC 4.2).
var helpArgumentChecks = []criterion{
	{"R45", "help() names every argument that help takes", none, documentedArguments},
	{"R46", "help tolerates arguments that it does not know", none, unknownArguments},
}

// candidates are arguments known from other servers, with values to try.
var candidates = map[string][]any{
	"format": {"json", "yaml", "text", "html"}, "params": {"full", "all"}, "examples": {true, "true"},
	"example": {true}, "detailed": {true}, "detail": {"full"}, "details": {true}, "verbose": {true}, "full": {true},
	"all": {true}, "brief": {true}, "compact": {true}, "schema": {true}, "model": {"haiku"}, "language": {"de"},
	"lang": {"de"}, "search": {"a"}, "query": {"a"}, "filter": {"a"}, "depth": {2}, "recursive": {true}, "limit": {1},
	"page": {2}, "version": {"1"},
}

// helpPages returns arguments for one page of each layer.
func (p *probe) helpPages() []object {
	pages := []object{{}}
	if len(p.tree.places) > 1 {
		pages = append(pages, object{"namespace": p.tree.places[1].path})
	}
	if len(p.tree.leaves) > 0 {
		pages = append(pages, p.tree.leaves[0].args())
	}
	return pages
}

func documentedArguments(p *probe) {
	base := p.tool("help", nil).Text
	for _, args := range p.helpPages() {
		want := p.tool("help", args)
		for round := range len(candidates["format"]) {
			kwargs := object{}
			for name, values := range candidates {
				if round < len(values) && !mentions(base, name) {
					kwargs[name] = values[round]
				}
			}
			// Together first: most servers know none.
			if len(kwargs) == 0 || same(want, p.tool("help", args.and("kwargs", kwargs))) {
				continue
			}
			for name, value := range kwargs {
				got := p.tool("help", args.and("kwargs", object{name: value}))
				p.must(same(want, got) || mentions(got.Text, "ignored"), "help%s depends on the argument %q, which help() does not name", args, name)
			}
		}
	}
}

func unknownArguments(p *probe) {
	for _, args := range p.helpPages() {
		want := p.tool("help", args)
		for _, kwargs := range []object{{"zzz": 1}, {"zzz": nil, "a-b": object{}}, {"examples": "maybe"}, {"format": "xml"}, {"params": []int{1}}, {"search": object{"a": 1}}} {
			got := p.tool("help", args.and("kwargs", kwargs))
			p.must(!got.IsError && holds(got, want, args), "help%s withholds its text because of the arguments %s: %s", args, kwargs, excerpt(got.Text))
		}
		for _, kwargs := range []any{[]int{1}, "x", nil} {
			got, err := p.try("help", args.and("kwargs", kwargs))
			p.should(err == nil && !got.IsError && holds(got, want, args), "help%s withholds its text when kwargs are %s", args, toJSON(kwargs))
		}
	}
}

// holds reports whether got contains all of want; got may have more notes.
func holds(got, want *client.Reply, args object) bool {
	path, _ := args["namespace"].(string)
	a, b := parsePage(want.Text, path), parsePage(got.Text, path)
	for _, e := range a.entries {
		if !slices.ContainsFunc(b.entries, func(o entry) bool { return o.name == e.name }) {
			return false
		}
	}
	for _, line := range a.rest {
		if !slices.Contains(b.rest, line) {
			return false
		}
	}
	return true
}

// searchChecks check help's search argument, if the server has it. The RFC leaves help's arguments open, but not
// the content of a list page.
var searchChecks = []criterion{
	{"R45a", "a search lists functions, and help documents each", needSearch, searchResults},
}

// searches reports whether the argument changes the page help().
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
	p.found(searchArgs("", absent+" "+strings.Repeat(absent, 1000))) // nothing or anything may be found
	if p.json {
		p.foundJSON(p.tree.leaves[len(p.tree.leaves)-1])
	}
}

// found returns the functions that a search lists, and checks that it gives no further detail.
func (p *probe) found(args object) []leaf {
	reply := p.tool("help", args)
	p.must(!reply.IsError, "help%s fails: %s", excerpt(args.String()), excerpt(reply.Text))
	pg := parsePage(reply.Text, "")
	p.noDetail("help"+args.String(), pg)
	return leavesOf(pg)
}

// leavesOf returns the functions on a search page, with their namespaces.
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

// in reports whether a list contains l, in any spelling.
func (l leaf) in(list []leaf) bool {
	return slices.ContainsFunc(list, func(o leaf) bool { return canonical(o.path()) == canonical(l.path()) })
}

// foundJSON checks that a search gives the same result in JSON.
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

// notFound checks that no search reveals a hidden function.
func (p *probe) notFound(hidden Sample) {
	l := leaf{hidden.Namespace, hidden.Function}
	for _, query := range []string{l.path(), l.name, l.namespace} {
		if query == "" {
			continue
		}
		p.must(!l.in(p.found(searchArgs("", query))), "a search for %q shows %s to a caller who may not see it", query, l.path())
	}
}
