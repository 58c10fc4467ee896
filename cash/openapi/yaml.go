package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// maxYAML bounds a document in YAML, whose parser takes up to 250 times its memory.
const maxYAML = 8 << 20

// fromYAML returns a YAML document as JSON, with its order of keys and its spelling of texts.
func fromYAML(data []byte) ([]byte, error) {
	if len(data) > maxYAML {
		return nil, fmt.Errorf("the document in YAML has %d bytes; at most %d are read", len(data), maxYAML)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var top yaml.Node
	if err := d.Decode(&top); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the document is empty")
		}
		return nil, err
	}
	if d.Decode(new(yaml.Node)) != io.EOF {
		return nil, errors.New("there is a second document: want one")
	}
	var w yamlWriter
	w.value(&top, 0)
	return w.out.Bytes(), w.err
}

// A yamlWriter writes nodes as JSON. Aliases are expanded within the limits of documents.
type yamlWriter struct {
	out bytes.Buffer
	err error
}

func (w *yamlWriter) fail(n *yaml.Node, reason string) {
	if w.err == nil {
		w.err = fmt.Errorf("line %d: %s", n.Line, reason)
	}
}

func (w *yamlWriter) value(n *yaml.Node, depth int) {
	if depth > maxDepth {
		w.fail(n, "nesting is too deep")
	}
	if w.out.Len() > 2*maxYAML {
		w.fail(n, "aliases make the document too large")
	}
	if w.err != nil {
		return
	}
	switch n.Kind {
	case yaml.DocumentNode:
		w.value(n.Content[0], depth)
	case yaml.AliasNode:
		w.value(n.Alias, depth+1)
	case yaml.MappingNode:
		w.mapping(n, depth)
	case yaml.SequenceNode:
		w.out.WriteByte('[')
		for i, e := range n.Content {
			w.comma(i)
			w.value(e, depth+1)
		}
		w.out.WriteByte(']')
	default:
		w.scalar(n)
	}
}

func (w *yamlWriter) comma(i int) {
	if i > 0 {
		w.out.WriteByte(',')
	}
}

func (w *yamlWriter) mapping(n *yaml.Node, depth int) {
	w.out.WriteByte('{')
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			w.fail(key, "a key is no text")
		case key.Tag == "!!merge":
			w.fail(key, "merge keys are not supported")
		case seen[key.Value]:
			w.fail(key, fmt.Sprintf("duplicate key %q", key.Value))
		}
		seen[key.Value] = true
		w.comma(i)
		w.out.Write(strictjson.AppendText(nil, key.Value)) // 200 is the text 200
		w.out.WriteByte(':')
		w.value(n.Content[i+1], depth+1)
	}
	w.out.WriteByte('}')
}

func (w *yamlWriter) scalar(n *yaml.Node) {
	switch n.ShortTag() {
	case "!!null":
		w.out.WriteString("null")
	case "!!bool":
		var yes bool
		if n.Decode(&yes) != nil {
			w.fail(n, "want a boolean")
		}
		w.out.WriteString(strconv.FormatBool(yes))
	case "!!int", "!!float":
		w.number(n)
	default:
		w.out.Write(strictjson.AppendText(nil, n.Value))
	}
}

// number writes a number as it is spelled where JSON spells it so. What JSON has no number for becomes a text.
func (w *yamlWriter) number(n *yaml.Node) {
	if strictjson.KindOf([]byte(n.Value)) == strictjson.Number && strictjson.Check([]byte(n.Value)) == nil {
		w.out.WriteString(n.Value)
		return
	}
	var v any
	if n.Decode(&v) == nil {
		if data, err := strictjson.Marshal(v); err == nil {
			w.out.Write(data)
			return
		}
	}
	w.out.Write(strictjson.AppendText(nil, n.Value))
}
