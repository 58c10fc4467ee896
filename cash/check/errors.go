package check

import "strings"

// errorChecks are about how errors reach the model (RFC 4.4).
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
