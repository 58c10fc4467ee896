package catalog

import (
	"cmp"
	"errors"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// Limits of texts from a document, in characters.
const (
	maxDescription = 4000
	maxAlias       = 200
	maxTags        = 20
	maxTag         = 64
)

// newFunction makes the function of s. An input schema that is of no use leaves
// it without one: arguments are not looked at then, and faces that promise to do
// so refuse its calls.
func (s *served) newFunction() *registry.Function {
	remote := registry.Remote{InputSchema: s.input, Tool: s.key, ID: s.id, Handler: s.handler}
	about, facts := s.about(), s.facts()
	f, err := registry.RemoteFunc(s.label, about, remote, facts...)
	if err != nil {
		remote.InputSchema, remote.Unchecked, remote.Problem = nil, true, cmp.Or(errors.Unwrap(err), err)
		if f, err = registry.RemoteFunc(s.label, about, remote, facts...); err != nil {
			panic("catalog: " + err.Error()) // of a schema of ours nothing can be wrong
		}
	}
	return f
}

// facts are what the document says besides.
func (s *served) facts() []registry.FuncOption {
	var aliases, tags []string
	for _, alias := range []string{s.title, s.name, s.key} {
		alias = clean.Line(alias, maxAlias)
		if alias != "" && alias != s.label && (len(aliases) == 0 || aliases[len(aliases)-1] != alias) {
			aliases = append(aliases, alias)
		}
	}
	for _, tag := range s.tags[:min(len(s.tags), maxTags)] {
		if tag = clean.Line(tag, maxTag); tag != "" {
			tags = append(tags, tag)
		}
	}
	facts := []registry.FuncOption{registry.Aliases(aliases...), registry.Tags(tags...), registry.Returns(s.returns)}
	if s.readOnly {
		return append(facts, registry.ReadOnly)
	}
	if s.idempotent {
		facts = append(facts, registry.Idempotent(true))
	}
	if s.destructive {
		facts = append(facts, registry.Destructive(true))
	}
	return facts
}

// about is the description, or what there is of one.
func (s *served) about() string {
	about := clean.Cut(clean.Text(cmp.Or(s.description, s.title)), maxDescription)
	mime := clean.Line(s.mime, maxAlias)
	switch {
	case mime == "":
		return about
	case about == "":
		return mime
	}
	return about + " (" + mime + ")"
}
