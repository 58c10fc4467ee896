package check

import (
	"slices"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// helpArgumentChecks are about help's further arguments (RFC 4.2).
var helpArgumentChecks = []criterion{
	{"R45", "help() names every argument that help takes", none, documentedArguments},
	{"R46", "help tolerates arguments that it does not know", none, unknownArguments},
}

// candidates are arguments that servers are known to take, with values to try.
var candidates = map[string][]any{
	"format": {"json", "yaml", "text", "html"}, "params": {"full", "all"}, "examples": {true, "true"},
	"example": {true}, "detailed": {true}, "detail": {"full"}, "details": {true}, "verbose": {true}, "full": {true},
	"all": {true}, "brief": {true}, "compact": {true}, "schema": {true}, "model": {"haiku"}, "language": {"de"},
	"lang": {"de"}, "search": {"a"}, "query": {"a"}, "filter": {"a"}, "depth": {2}, "recursive": {true}, "limit": {1},
	"page": {2}, "version": {"1"},
}

// helpPages returns the arguments of one page of each layer.
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
			// Together first: most servers know none of them.
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

// holds reports whether got has all that want has; notes may be added.
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
