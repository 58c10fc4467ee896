package skillmd

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxYAMLDepth bounds the nesting of front matter and of YAML blocks; real ones stay below five.
const maxYAMLDepth = 16

// headLine is the line of the file at which the front matter's first line stands.
const headLine = 2

func (d *Document) readFrontMatter(head string) error {
	top, err := parseYAML(head)
	if err != nil {
		return fmt.Errorf("front matter: %w", err)
	}
	if top == nil || isNull(top) {
		return nil
	}
	if top.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: front matter is not a mapping: write it as key: value", top.Line+headLine-1)
	}
	if err := checkYAML(top, 0); err != nil {
		return fmt.Errorf("front matter: %w", err)
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if err := d.setField(top.Content[i].Value, top.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) setField(key string, value *yaml.Node) error {
	var field *string
	switch key {
	case "name":
		field = &d.Name
	case "description":
		field = &d.Description
	default:
		return nil
	}
	if value.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: front matter: %s is not a text: write it as one value", value.Line+headLine-1, key)
	}
	if !isNull(value) {
		*field = oneLine(value.Value)
	}
	return nil
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// parseYAML reads exactly one document and returns its top node, nil if there is none.
// It reads into nodes because decoding into values would expand aliases and turn 1.0 or dates into numbers and times.
func parseYAML(text string) (top *yaml.Node, err error) {
	// The parser reports its own errors by panicking and recovers only from those; a defect in it must not end the process.
	defer func() {
		if recover() != nil {
			top, err = nil, errors.New("YAML cannot be read: simplify it")
		}
	}()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var doc, extra yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, yamlError(err)
	}
	if err := decoder.Decode(&extra); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, yamlError(err)
		}
		return nil, fmt.Errorf("line %d: more than one YAML document: keep the first", extra.Line+headLine-1)
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// checkYAML refuses what makes YAML surprising: anchors, aliases, duplicate or composite keys, deep nesting.
func checkYAML(n *yaml.Node, depth int) error {
	line := n.Line + headLine - 1
	switch {
	case depth > maxYAMLDepth:
		return fmt.Errorf("line %d: nested deeper than %d levels: flatten it", line, maxYAMLDepth)
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return fmt.Errorf("line %d: anchors and aliases are not allowed: write the value out", line)
	}
	if n.Kind == yaml.MappingNode {
		if err := checkKeys(n); err != nil {
			return err
		}
	}
	for _, child := range n.Content {
		if err := checkYAML(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func checkKeys(n *yaml.Node) error {
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key is not a plain text: write it as key: value", key.Line+headLine-1)
		}
		if seen[key.Value] {
			return fmt.Errorf("line %d: a key is given twice: remove one", key.Line+headLine-1)
		}
		seen[key.Value] = true
	}
	return nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(.*)$`)

// yamlError moves the line to the file's count. The parser's own words are safe to pass on but for unknown anchors,
// which it quotes.
func yamlError(err error) error {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return errors.New("not valid YAML")
	}
	what := m[2]
	if strings.HasPrefix(what, "unknown anchor") {
		what = "aliases are not allowed"
	}
	line, err := strconv.Atoi(m[1])
	if err != nil {
		return fmt.Errorf("not valid YAML: %s", what)
	}
	return fmt.Errorf("line %d: not valid YAML: %s", line+headLine-1, what)
}
