package skillmd

import (
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// maxYAMLDepth bounds the nesting of front matter and YAML blocks; real ones stay below five.
const maxYAMLDepth = 16

// headLine is the line of the first line of front matter in the file.
const headLine = 2

func (d *Document) readFrontMatter(head string) error {
	top, err := parseYAML(head)
	if err != nil {
		return fmt.Errorf("front matter: %w", err)
	}
	if top == nil || strictyaml.IsNull(top) {
		return nil
	}
	if top.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: front matter is not a mapping: write it as key: value", top.Line+headLine-1)
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
	if !strictyaml.IsNull(value) {
		*field = oneLine(value.Value)
	}
	return nil
}

// parseYAML parses exactly one document and returns its top node, nil if there is none. Lines are those of the file.
func parseYAML(text string) (*yaml.Node, error) {
	top, err := strictyaml.Read([]byte(text), strictyaml.Limits{Depth: maxYAMLDepth})
	var e *strictyaml.Error
	if errors.As(err, &e) && e.Line > 0 {
		e.Line += headLine - 1
	}
	return top, err
}
