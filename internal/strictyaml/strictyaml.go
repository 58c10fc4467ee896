// Package strictyaml parses YAML from untrusted sources: one document, without the features that are dangerous or that
// readers interpret differently.
//
//	top, err := strictyaml.Read(data, strictyaml.Limits{Depth: 16})
//
// It returns nodes, because decoding into values would expand aliases and change texts such as 1.0, dates and yes. The
// text of a scalar is node.Value.
//
// # Limits
//
// The caller bounds the size of data: the parser takes up to 250 times its memory.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Limits bound a document.
type Limits struct {
	Depth   int // levels of nesting, including the top
	Aliases int // number of aliases; 0 also forbids anchors
}

// maxTags bounds the TAG directives. The parser searches them linearly for every tag, so tens of thousands take
// seconds.
const maxTags = 16

// An Error is the place and reason of a problem. It quotes nothing of the document.
type Error struct {
	Line, Column int // from 1; 0 is unknown
	Reason       string
}

// Error returns the line and the reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// Read returns the top node of the only document in data, nil if there is none. The error is an *[Error]: a second
// document, a key that is not a text or is a duplicate, a merge key, or an exceeded limit. Aliases are not followed.
func Read(data []byte, limits Limits) (top *yaml.Node, err error) {
	// The parser panics with its own errors and recovers. A bug in it must not end the process.
	defer func() {
		if recover() != nil {
			top, err = nil, &Error{Reason: "the YAML cannot be read: simplify it"}
		}
	}()
	if bytes.Count(data, []byte("%TAG")) > maxTags {
		return nil, &Error{Reason: "too many TAG directives: write the tags out, or leave them away"}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(withoutVersion(data)))
	var doc, extra yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, parserError(err)
	}
	switch err := decoder.Decode(&extra); {
	case err == nil:
		return nil, &Error{Line: extra.Line, Reason: "a second document begins: keep the first only"}
	case !errors.Is(err, io.EOF):
		return nil, parserError(err)
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	w := walker{limits: limits}
	if err := w.walk(doc.Content[0], 1); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// Describe says in words what a node is, other than an alias.
func Describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	}
	return "one text"
}

// withoutVersion makes the directive that says version 1.2 a comment: the parser
// reads that, and refuses a document that says so.
func withoutVersion(data []byte) []byte {
	for i := 0; i < len(data) && strings.IndexByte("#%\r\n", data[i]) >= 0; {
		if bytes.HasPrefix(data[i:], []byte("%YAML 1.")) {
			data = bytes.Clone(data)
			data[i] = '#'
			break // a second one is an error
		}
		end := bytes.IndexByte(data[i:], '\n')
		if end < 0 {
			break
		}
		i += end + 1
	}
	return data
}

// A walker visits every node of a document once. It counts aliases and does not follow them.
type walker struct {
	limits  Limits
	aliases int
}

func (w *walker) walk(n *yaml.Node, depth int) error {
	if w.limits.Aliases == 0 && (n.Kind == yaml.AliasNode || n.Anchor != "") {
		return at(n, "anchors and aliases are not allowed: write the value out")
	}
	switch n.Kind {
	case yaml.AliasNode:
		if w.aliases++; w.aliases > w.limits.Aliases {
			return at(n, "more than %d aliases: write the values out", w.limits.Aliases)
		}
		return nil
	case yaml.ScalarNode:
		return nil
	case yaml.MappingNode:
		if err := checkKeys(n); err != nil {
			return err
		}
	}
	if depth > w.limits.Depth {
		return at(n, "nested deeper than %d levels: flatten it", w.limits.Depth)
	}
	for _, c := range n.Content {
		if err := w.walk(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func checkKeys(n *yaml.Node) error {
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			return at(key, "the key is not one text: write it as key: value")
		case key.Tag == "!!merge":
			return at(key, "merge keys (<<) are not supported: write the values out")
		case seen[key.Value]:
			return at(key, "the key is given twice: remove one")
		}
		seen[key.Value] = true
	}
	return nil
}

func at(n *yaml.Node, format string, args ...any) error {
	return &Error{n.Line, n.Column, fmt.Sprintf(format, args...)}
}

var parserLine = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(.*)$`)

// parserError converts an error of the parser to an [Error]. Only names of unknown anchors are dropped from its text.
func parserError(err error) error {
	m := parserLine.FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{Reason: "not valid YAML"}
	}
	what := m[2]
	if strings.HasPrefix(what, "unknown anchor") {
		what = "an alias without its anchor"
	}
	line, _ := strconv.Atoi(m[1]) // 0 if there is none
	return &Error{Line: line, Reason: "not valid YAML: " + what}
}

// IsNull reports whether a node is a plain null.
func IsNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}
