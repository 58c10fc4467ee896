package config

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// A scalar is a value of the file. text is the value with variables expanded; it may be a secret.
type scalar struct {
	node  *yaml.Node
	field string
	text  string
}

// asScalar returns n with its variables expanded; false, with a problem noted, if it cannot.
func (r *reader) asScalar(n *yaml.Node, field string) (scalar, bool) {
	s := scalar{n, field, n.Value}
	r.places[field] = n
	if !r.plain(s) {
		return s, false
	}
	var err error
	if s.text, err = r.expand(n.Value); err != nil {
		r.fail(n, field, "%v", err)
		return s, false
	}
	if strings.ContainsRune(s.text, 0) {
		r.fail(n, field, "the value has a character of code zero: remove it")
		return s, false
	}
	return s, true
}

// plain reports whether a node is a non-null text.
func (r *reader) plain(s scalar) bool {
	switch n := s.node; {
	case n.Kind != yaml.ScalarNode:
		r.fail(n, s.field, "%s where one text is wanted", strictyaml.Describe(n))
	case strictyaml.IsNull(n):
		r.fail(n, s.field, `no value: write one, or "" for an empty text`)
	case n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str":
		r.fail(n, s.field, "the tag %s means nothing here: remove it", quoteSource(n.Tag))
	default:
		return true
	}
	return false
}

// get returns the scalar of a key; false if it is absent or invalid.
func (m *mapping) get(key string) (scalar, bool) {
	n, field := m.lookup(key)
	if n == nil {
		return scalar{}, false
	}
	return m.asScalar(n, field)
}

// refuse notes that a scalar is invalid, without showing it.
func (r *reader) refuse(s scalar, format string, args ...any) {
	r.fail(s.node, s.field, format, args...)
}
