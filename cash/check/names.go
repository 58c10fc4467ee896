package check

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// nameChecks check identifiers (RFC 5.1, 5.3).
var nameChecks = []criterion{
	{"R20", "names are ASCII letters, digits and underscores", needFunction, legalNames},
	{"R21", "names are matched without case and underscores", needFunction, normalisedNames},
	{"R26", "names differ in more than case and underscores", needFunction, distinctNames},
	{"R27", "a namespace and a function may share a name", needTwins, sharedNames},
	{"R28", "underscores alone are no name", needFunction, emptyNames},
}

// pathChecks check dotted paths (RFC 5.2).
var pathChecks = []criterion{
	{"R29", "each level of a path is normalised", needDepth, normalisedPaths},
	{"R30", "malformed paths are refused", needFunction, malformedPaths},
	{"R31", "functions are not dotted into the path", needNamespaced, dottedFunctions},
}

var label = regexp.MustCompile(`^[A-Za-z0-9_]*[A-Za-z0-9][A-Za-z0-9_]*$`)

func legalNames(p *probe) {
	for _, pl := range p.tree.places {
		for _, e := range pl.members() {
			p.must(label.MatchString(e.name), "help(%s) lists %q, which is not a legal name", pl.path, e.name)
		}
	}
}

// sampled returns at most n elements, spread over the list.
func sampled[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	picked := make([]T, 0, n)
	for i := range n {
		picked = append(picked, list[i*len(list)/n])
	}
	return picked
}

// breadth bounds the names that a check requests one by one.
const breadth = 20

func normalisedNames(p *probe) {
	for _, l := range sampled(p.tree.leaves, breadth) {
		want := p.tool("help", l.args())
		for _, name := range spellings(l.name) {
			p.sameHelp(want, leaf{l.namespace, name})
		}
		if l.namespace == "" || strings.Contains(l.namespace, ".") {
			continue
		}
		for _, ns := range spellings(l.namespace) {
			p.sameHelp(want, leaf{ns, l.name})
		}
	}
	if p.Read == nil {
		p.note("not checked: how call matches names (Target.Read is nil)")
		return
	}
	p.respelt("call", p.Read.args(), "function")
}

// respelt checks that a tool accepts other spellings of a name in its arguments.
func (p *probe) respelt(tool string, args object, key string) {
	want, name := p.tool(tool, args), args.text(key)
	for _, other := range spellings(name) {
		p.must(same(want, p.tool(tool, args.and(key, other))), "%s does not take the %s %q for %q", tool, key, other, name)
	}
}

func (p *probe) sameHelp(want *client.Reply, l leaf) {
	got := p.tool("help", l.args())
	p.must(got.IsError == want.IsError && canonical(got.Text) == canonical(want.Text),
		"help%s differs from help with the names as listed: %s", l.args(), excerpt(got.Text))
}

func distinctNames(p *probe) {
	for _, pl := range p.tree.places {
		p.distinct(pl, pl.namespaces)
		p.distinct(pl, pl.functions)
	}
}

func (p *probe) distinct(pl *place, list []entry) {
	seen := make(map[string]string)
	for _, e := range list {
		key := canonical(e.name)
		other, dup := seen[key]
		p.must(!dup, "help(%s) lists both %q and %q, which are the same name", pl.path, other, e.name)
		seen[key] = e.name
	}
}

// twins returns a place with a namespace and a function of the same name.
func (s *suite) twins() (*place, string) {
	for _, pl := range s.tree.places {
		for _, n := range pl.namespaces {
			for _, f := range pl.functions {
				if canonical(n.name) == canonical(f.name) {
					return pl, n.name
				}
			}
		}
	}
	return nil, ""
}

func sharedNames(p *probe) {
	pl, name := p.twins()
	ns := p.tool("help", object{"namespace": join(pl.path, name)})
	fn := p.tool("help", leaf{pl.path, name}.args())
	p.should(!ns.IsError, "the namespace %q cannot be reached: %s", join(pl.path, name), excerpt(ns.Text))
	p.should(!fn.IsError, "the function %q cannot be reached: %s", join(pl.path, name), excerpt(fn.Text))
	p.should(ns.Text != fn.Text, "namespace and function %q have the same page", join(pl.path, name))
}

func emptyNames(p *probe) {
	name := p.tree.leaves[0].name
	for _, blank := range []string{"_", "__"} {
		p.refused(should, "help", object{"namespace": blank})
		p.refused(should, "help", object{"function": blank})
		p.refused(should, "call", object{"namespace": blank, "function": name + absent})
		if p.Read != nil && p.Read.Namespace == "" {
			p.refused(should, "call", p.Read.args().and("namespace", blank))
		}
	}
}

// deepest returns the function with the longest path.
func (s *suite) deepest() leaf {
	var deepest leaf
	for _, l := range s.tree.leaves {
		if strings.Count(l.namespace, ".") > strings.Count(deepest.namespace, ".") {
			deepest = l
		}
	}
	return deepest
}

func normalisedPaths(p *probe) {
	l := p.deepest()
	want := p.tool("help", l.args())
	for _, ns := range spellings(l.namespace) {
		p.sameHelp(want, leaf{ns, l.name})
	}
}

func malformedPaths(p *probe) {
	l := p.anyFunction()
	name := cmp.Or(l.namespace, "orders")
	for _, path := range []string{"." + name, name + ".", name + "..x", " ", " " + name, name + " ", "/" + name, name + "/x", name + "-"} {
		for tool, args := range map[string]object{
			"help":  {"namespace": path},
			"call":  {"namespace": path, "function": l.name + absent},
			"skill": {"namespace": path},
		} {
			text := p.refused(should, tool, args)
			if tool != "skill" {
				p.should(says(text, "invalid", "illegal", "malformed", "not a valid"), "the error of %s%s does not say that the path is invalid: %s", tool, args, excerpt(text))
			}
		}
	}
}

func dottedFunctions(p *probe) {
	l := p.namespaced()
	p.refused(must, "help", object{"function": l.path()})
	if p.Read == nil || p.Read.Namespace == "" {
		p.note("not checked: whether call takes a dotted function (Target.Read is nil or in the root)")
		return
	}
	args := p.Read.args().and("function", p.Read.path())
	delete(args, "namespace")
	text := p.refused(must, "call", args)
	hint := `namespace="` + p.Read.Namespace + `", function="` + p.Read.Function + `"`
	p.should(strings.Contains(text, hint), "the error of call%s has no hint %s: %s", args, hint, excerpt(text))
}
