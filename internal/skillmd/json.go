package skillmd

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// FrontMatter returns the front matter of a text that [Parse] accepts: its lines as written, with LF line ends and
// without the delimiters, and all of its fields as a JSON object. Both are empty if it has none.
func FrontMatter(data []byte) (lines string, fields json.RawMessage, err error) {
	if _, err := Parse(data); err != nil {
		return "", nil, err
	}
	lines, _, _, err = splitFrontMatter(unixLines(strings.TrimPrefix(string(data), "\ufeff")))
	if err != nil {
		return "", nil, err
	}
	top, err := parseYAML(lines)
	if err != nil || top == nil || top.Kind != yaml.MappingNode {
		return "", nil, err
	}
	return lines, appendJSON(nil, top), nil
}

// appendJSON appends the JSON form of a node without anchors and aliases. Plain scalars have the types of YAML 1.2's
// core schema. Numbers stay as written if JSON has the spelling. What JSON cannot hold, such as .inf, is a text.
func appendJSON(dst []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strictjson.AppendText(dst, n.Content[i].Value)
			dst = appendJSON(append(dst, ':'), n.Content[i+1])
		}
		return append(dst, '}')
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, c := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, c)
		}
		return append(dst, ']')
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0 {
		if plain := plainJSON(n.Value); plain != "" {
			return append(dst, plain...)
		}
	}
	return strictjson.AppendText(dst, n.Value)
}

// The numbers of YAML 1.2's core schema, section 10.3.2.
var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	decimal    = regexp.MustCompile(`^[-+]?[0-9]+$`)
	float      = regexp.MustCompile(`^([-+]?)(\.[0-9]+|[0-9]+(?:\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	based      = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
)

// plainJSON returns the JSON form of a plain scalar that is no text; empty if it is a text.
func plainJSON(text string) string {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return "null"
	case "true", "True", "TRUE":
		return "true"
	case "false", "False", "FALSE":
		return "false"
	}
	switch {
	case len(text) > maxNumber:
		return ""
	case jsonNumber.MatchString(text):
		return text
	case decimal.MatchString(text), based.MatchString(text):
		base := 10
		if based.MatchString(text) {
			base = 0
		}
		if n, ok := new(big.Int).SetString(text, base); ok {
			return n.String()
		}
	case float.MatchString(text):
		return jsonFloat(float.FindStringSubmatch(text))
	}
	return ""
}

// maxNumber bounds a number in bytes; a longer one is a text.
const maxNumber = 64

// jsonFloat spells a float, cut into sign, digits and exponent, as JSON does.
func jsonFloat(parts []string) string {
	sign, digits, exponent := strings.TrimPrefix(parts[1], "+"), parts[2], parts[3]
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + exponent
}
