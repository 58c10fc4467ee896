package catalog

import (
	"cmp"
	"errors"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// Limits of texts in a document, in characters.
const (
	maxDescription = 4000
	maxAlias       = 200
)

// newFunction builds the function of s. With an unusable input schema it has none: its arguments are not validated,
// and faces that promise validation refuse its calls.
func (s *served) newFunction() *registry.Function {
	remote := registry.Remote{InputSchema: s.input, Tool: s.definition.key, ID: s.id, ServerName: s.server, Handler: s.handler, Limits: s.limits}
	about, facts := s.about(), s.factsOf()
	_, label := wire.Split(s.path)
	f, err := registry.RemoteFunc(label, about, remote, facts...)
	if err != nil {
		remote.InputSchema, remote.Problem = nil, cmp.Or(errors.Unwrap(err), err)
		if f, err = registry.RemoteFunc(label, about, remote, facts...); err != nil {
			panic("catalog: " + err.Error()) // our own schema is always valid
		}
	}
	return f
}

// factsOf returns options for the document's other members.
func (s *served) factsOf() []registry.FuncOption {
	var aliases []string
	_, label := wire.Split(s.path)
	for _, alias := range []string{s.title, s.name, s.definition.key} {
		alias = clean.Line(alias, maxAlias)
		if alias != "" && alias != label && (len(aliases) == 0 || aliases[len(aliases)-1] != alias) {
			aliases = append(aliases, alias)
		}
	}
	facts := slices.Concat(s.facts.Options(), s.shown, []registry.FuncOption{registry.Aliases(aliases...)})
	return append(facts, s.hints.Options(false)...)
}

// about returns the description, or a substitute.
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
