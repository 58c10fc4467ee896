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

// MaxSize is the most bytes of a document.
const MaxSize = 1 << 20

// MaxDepth is the most levels of nesting in a document, counting those in
// keys that mean nothing here.
const MaxDepth = 64

// Parse reads a manifest from YAML or JSON. The document may come from anybody:
// it is one document of at most MaxSize bytes of UTF-8 and MaxDepth levels,
// without duplicate keys, merge keys, TAG directives in number, or more than 64
// aliases.
//
// Scalars are text whatever YAML makes of them: 1.0 is "1.0", and yes is "yes".
// A plain null is the same as leaving the field out. Keys that the
// specification does not have are ignored, unknown versions accepted. Texts
// that a person or model reads come back as one line of bounded length,
// without control characters, escape sequences and invisible characters.
//
// The error is an *Error with the place of the first problem.
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

// readDocument returns the top of a document within the limits. JSON is read
// as JSON, because YAML readers do not join the surrogates of its escapes;
// what merely looks like JSON is YAML.
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

// locate completes an error of check with the place of its field, or of what
// the field is missing from.
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

// child returns a member of a mapping or an element of a sequence, nil if there
// is none.
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
