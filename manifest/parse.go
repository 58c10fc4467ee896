package manifest

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// MaxSize bounds a document, in bytes.
const MaxSize = 1 << 20

// MaxDepth bounds the nesting of a document, unknown keys included.
const MaxDepth = 64

// Parse reads a manifest from YAML or JSON. The document may be hostile. It must be one UTF-8 document within
// MaxSize and MaxDepth, without duplicate keys and merge keys, with few TAG directives and at most 64 aliases.
//
// Scalars are text, whatever their YAML type: 1.0 is "1.0", and yes is "yes". A plain null counts as absent.
// Unknown keys are ignored, and so is an x-state that is no [Manifest.State]. Unknown versions are accepted. Texts for
// people and models are returned as one line of bounded length, without control characters, escape sequences and
// invisible characters.
//
// The error is an *Error with the position of the first problem.
func Parse(data []byte) (*Manifest, error) {
	top, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	m, err := decode(top)
	if err != nil {
		return nil, err
	}
	m.normalize()
	if err := m.check(); err != nil {
		return nil, locate(err, top)
	}
	return m, nil
}

// readDocument returns the top node of a document within the limits. Valid JSON is parsed as JSON, because YAML
// parsers do not join its escaped surrogates. Anything else is YAML.
func readDocument(data []byte) (*yaml.Node, error) {
	switch {
	case len(data) > MaxSize:
		return nil, &Error{Reason: "more than 1 MiB: shorten it"}
	case !utf8.Valid(data):
		return nil, &Error{Reason: "not valid UTF-8"}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if strictjson.KindOf(data) == strictjson.Object && strictjson.Check(data) == nil {
		return readJSON(data), nil
	}
	return readYAML(data)
}

// locate adds the position of the field, or of its parent, to an error of check.
func locate(err error, top *yaml.Node) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	n := top
	for _, step := range strings.FieldsFunc(e.Field, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		next := child(n, step)
		if next == nil {
			break
		}
		n = next
	}
	e.Line, e.Column = n.Line, n.Column
	return e
}

// child returns a member of a mapping or an element of a sequence; nil if there is none.
func child(n *yaml.Node, step string) *yaml.Node {
	if n.Kind != yaml.SequenceNode {
		return member(n, step)
	}
	i, err := strconv.Atoi(step)
	if err != nil || i >= len(n.Content) {
		return nil
	}
	return resolve(n.Content[i])
}
