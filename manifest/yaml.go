package manifest

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

const (
	// maxAliases bounds the aliases of a document. Each stands for fields that
	// are bounded themselves, so that nothing multiplies.
	maxAliases = 64
	// maxTags bounds the TAG directives, which the parser searches one by one
	// for every tag: tens of thousands of them take it seconds.
	maxTags = 16
)

// readYAML returns the top of the one document in data. It reads into nodes,
// because reading into values would expand aliases and turn 1.0 or dates into
// numbers and times.
func readYAML(data []byte) (top *yaml.Node, err error) {
	// The parser recovers from the panics that it reports its own errors with;
	// a defect in it must not end the process.
	defer func() {
		if recover() != nil {
			top, err = nil, &Error{Reason: "the YAML cannot be read: simplify it"}
		}
	}()
	if bytes.Count(data, []byte("%TAG")) > maxTags {
		return nil, &Error{Reason: "too many TAG directives: write the tags out, or leave them away"}
	}
	if bytes.HasPrefix(data, []byte("%YAML 1.")) {
		// The parser reads 1.2, and refuses a document that says so.
		data = append([]byte{'#'}, data[1:]...)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, extra yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) != 1:
		return nil, &Error{Reason: "the document is empty"}
	case err != nil:
		return nil, yamlError(err)
	}
	switch err := decoder.Decode(&extra); {
	case err == nil:
		return nil, &Error{Line: extra.Line, Reason: "a second document begins: keep the first only"}
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	if err := new(walker).walk(doc.Content[0], 1); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// A walker sees every node of a document once, known or not; aliases it counts
// and does not follow.
type walker struct{ aliases int }

// walk refuses what makes YAML dangerous, or means different things to
// different readers.
func (w *walker) walk(n *yaml.Node, depth int) error {
	switch n.Kind {
	case yaml.AliasNode:
		if w.aliases++; w.aliases > maxAliases {
			return at(n, "more than %d aliases: write the values out", maxAliases)
		}
		return nil
	case yaml.ScalarNode:
		return nil
	case yaml.MappingNode:
		if err := checkKeys(n); err != nil {
			return err
		}
	}
	if depth > MaxDepth {
		return at(n, "nested deeper than %d levels: flatten it", MaxDepth)
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
			return at(key, "the key %s is given twice: remove one", quote(key.Value))
		}
		seen[key.Value] = true
	}
	return nil
}

// at reports a problem with a node that belongs to no known field.
func at(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: n.Line, Column: n.Column, Reason: fmt.Sprintf(format, args...)}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(.*)$`)

// yamlError puts an error of the parser into our form. Its words are its own
// but for the names of unknown anchors.
func yamlError(err error) error {
	m := yamlLine.FindStringSubmatch(err.Error())
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
