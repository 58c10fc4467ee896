package check

import (
	"slices"
	"strings"
)

// errorChecks check how errors reach the model (RFC 4.4).
var errorChecks = []criterion{
	{"R80", "unknown names are errors that the model sees", none, unknownNames},
	{"R81", "errors name what is missing and the next step", needFunction, errorTexts},
	{"R83", "failing functions are errors, and the server goes on", needFails, failingFunctions},
}

func unknownNames(p *probe) {
	p.refused(must, "call", object{"namespace": absent, "function": absent})
	p.refused(must, "call", object{"function": absent})
	p.refused(must, "help", object{"namespace": absent})
	p.refused(must, "help", object{"function": absent})
	if l := p.namespaced(); l.namespace != "" {
		p.refused(must, "call", object{"namespace": l.namespace, "function": absent})
		p.refused(must, "help", object{"namespace": l.namespace, "function": absent})
	}
}

func errorTexts(p *probe) {
	l := p.namespaced()
	text := p.refused(should, "call", leaf{l.namespace, absent}.args())
	p.should(strings.Contains(text, absent) && strings.Contains(text, l.namespace), "the error does not name the function and its namespace: %s", excerpt(text))
	want := hint(l.namespace)
	if l.namespace != "" {
		want += ")"
	}
	p.should(strings.Contains(text, want), "the error does not name %s: %s", want, excerpt(text))
}

func failingFunctions(p *probe) {
	for _, s := range p.Fails {
		p.refused(should, "call", s.args())
		p.must(!p.tool("help", nil).IsError, "the server does not answer after %s has failed", s.path())
	}
}

// visibilityChecks check that hidden things stay hidden (RFC 2.3).
var visibilityChecks = []criterion{
	{"R53", "lists omit what the caller may not see", needHidden, hiddenLists},
	{"R54", "hidden is answered like absent", needHidden, hiddenIsAbsent},
}

func hiddenLists(p *probe) {
	h := p.Hidden
	for _, l := range p.tree.leaves {
		p.must(canonical(l.path()) != canonical(h.path()), "help shows %s to a caller who may not see it", h.path())
	}
	if p.search {
		p.notFound(h.Sample)
	}
	if h.Transport == nil {
		p.note("not checked: that %s exists (Target.Hidden.Transport is nil)", h.path())
		return
	}
	c := p.connect(h.Transport())
	p.must(!p.over(c, "help", leaf{h.Namespace, h.Function}.args()).IsError, "help does not show %s to the caller who may see it", h.path())
	r := p.over(c, "call", h.args())
	p.must(!r.IsError, "the sample of %s fails for the caller who may see it: %.300s", h.path(), r.Text)
	if p.search {
		found := leavesOf(parsePage(p.over(c, "help", searchArgs("", h.path())).Text, ""))
		p.should(leaf{h.Namespace, h.Function}.in(found), "a search does not show %s to the caller who may see it", h.path())
	}
	others, _, err := c.Tools()
	if err != nil {
		p.stop("tools/list as the caller who sees %s: %v", h.path(), err)
	}
	p.must(toJSON(others) == toJSON(p.tools), "tools/list depends on the caller")
}

// hiddenIsAbsent compares answers about hidden things with those about things that do not exist. They may differ in
// the name only.
func hiddenIsAbsent(p *probe) {
	h := p.Hidden.Sample
	other := Sample{Namespace: h.Namespace, Function: absent, Kwargs: h.Kwargs}
	p.indistinguishable(h, other, h.Function, absent)
	if p.tree.find(h.Namespace) != nil {
		return
	}
	segments := strings.Split(h.Namespace, ".")
	last := segments[len(segments)-1]
	other = h
	other.Namespace = strings.Join(slices.Concat(segments[:len(segments)-1], []string{absent}), ".")
	p.indistinguishable(h, other, last, absent)
	p.alike("skill", named("namespace", h.Namespace), named("namespace", other.Namespace), last, absent)
}

func (p *probe) indistinguishable(hidden, other Sample, name, absent string) {
	p.alike("call", hidden.args(), other.args(), name, absent)
	p.alike("help", named("namespace", hidden.Namespace, "function", hidden.Function),
		named("namespace", other.Namespace, "function", other.Function), name, absent)
}

func (p *probe) alike(tool string, a, b object, nameA, nameB string) {
	hidden, missing := p.tool(tool, a), p.tool(tool, b)
	p.should(hidden.IsError == missing.IsError && strings.ReplaceAll(hidden.Text, nameA, nameB) == missing.Text && toJSON(hidden.Raw.Meta) == toJSON(missing.Raw.Meta),
		"%s tells what is hidden from what is absent:\n%s\n%s", tool, excerpt(hidden.Text), excerpt(missing.Text))
}
