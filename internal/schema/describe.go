package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Param describes one parameter, or one nested member, to a reader. Type, Description and Rules are one printable,
// bounded line. The other fields are as in the schema, and must not be changed.
type Param struct {
	Name        string
	Type        string // such as string, array of {product_id, quantity, note?}, string or null, any
	Description string
	Required    bool
	Advanced    bool            // only for Go types: omitted from a short description
	Rules       string          // such as: One of: low, normal, high. Default: normal. "" without rules
	Enum        []string        // all values as text; nil without an enum
	Default     json.RawMessage // nil without a default
	Example     json.RawMessage // nil without an example
	Sample      string          // a text that the type accepts, for an array its items; empty for most types
	Fields      []Param         // of an object, or of the objects in an array; at most four levels
}

// A describer bounds a description, because a small schema can have very many members through references. It does not
// describe the fields of a recursive type again inside of itself.
type describer struct {
	left int     // members below the top level
	open []*node // the enclosing objects
}

// params describes the properties of n, down to the given number of levels.
func (d *describer) params(n *node, levels int) []Param {
	n = n.target()
	if n.object == nil || n.object.properties == 0 || levels == 0 {
		return nil
	}
	d.open = append(d.open, n)
	defer func() { d.open = d.open[:len(d.open)-1] }()
	all := make([]Param, n.object.properties)
	for i := range all {
		rule := &n.object.names[i]
		all[i] = d.param(rule.node, levels-1)
		all[i].Name, all[i].Required = rule.name, rule.required
	}
	return all
}

// fields describes the members of a parameter, or of its items.
func (d *describer) fields(n *node, levels int) []Param {
	for n.array != nil && n.array.items != nil && n.object == nil && levels > 0 {
		n, levels = n.array.items.target(), levels-1
	}
	if n = n.stands().target(); n.object == nil || n.object.properties > d.left || slices.Contains(d.open, n) {
		return nil
	}
	d.left -= n.object.properties
	return d.params(n, levels)
}

// param describes one node.
func (d *describer) param(n *node, levels int) Param {
	to := n.target()
	p := Param{
		Type:        typeText(n),
		Description: clean(firstText(n.about.description, to.about.description, n.about.title, to.about.title), maxText),
		Advanced:    n.facts != nil && n.facts.advanced,
		Rules:       ruleText(n),
		Default:     n.about.def,
		Example:     n.about.example,
		Fields:      d.fields(to, levels),
	}
	if to.enum != nil {
		p.Enum = to.enum.texts
	}
	if p.Sample = to.facts.sample(); to.array != nil && to.array.items != nil {
		p.Sample = to.array.items.target().facts.sample()
	}
	return p
}

// firstText returns the first text that is not empty.
func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// typeText returns the type of a node in the form of Param.Type.
func typeText(n *node) string {
	return typeOfNode(n, 2)
}

// typeOfNode is typeText down to the given number of levels.
func typeOfNode(n *node, levels int) string {
	return clean(typeWordsOf(n.target(), levels), maxShown)
}

func typeWordsOf(n *node, levels int) string {
	switch {
	case n.never:
		return "nothing"
	case n.typeText != "":
		return n.typeText
	case n.types == 0 && n.constant != nil:
		return n.constant.String()
	case n.types == 0 && n.enum != nil:
		return "one of " + n.enum.String()
	case n.types == 0 && n.object != nil && (n.object.properties > 0 || n.object.requires):
		return objectText(n.object)
	case n.types == 0 && n.array != nil && n.array.items != nil && levels > 0:
		return arrayText(n.array, levels)
	case n.types == 0 && n.inPlace != nil && levels > 0:
		return choiceText(n.inPlace, levels)
	case n.types == 0:
		return "any"
	}
	words := n.types.words()
	for i, w := range words {
		switch {
		case w == "object" && n.object != nil && (n.object.properties > 0 || n.object.requires):
			words[i] = objectText(n.object)
		case w == "array" && n.array != nil && levels > 0:
			words[i] = arrayText(n.array, levels)
		}
	}
	return strings.Join(words, " or ")
}

// choiceText describes the alternatives of anyOf and oneOf.
func choiceText(p *inPlaceRules, levels int) string {
	subs := p.anyOf
	if subs == nil {
		subs = p.oneOf
	}
	if subs == nil && len(p.allOf) > 0 {
		return typeOfNode(p.allOf[0], levels-1)
	}
	if subs == nil {
		return "any"
	}
	var texts []string
	for _, sub := range subs[:min(len(subs), maxListed)] {
		texts = append(texts, typeOfNode(sub, levels-1))
	}
	return strings.Join(texts, " or ")
}

// arrayText describes an array by its items.
func arrayText(r *arrayRules, levels int) string {
	if r.items == nil || len(r.prefix) > 0 {
		return "array"
	}
	if item := typeOfNode(r.items, levels-1); item != "any" {
		return "array of " + item
	}
	return "array"
}

// objectText describes an object by its properties, without those that accept nothing, and other required names.
// Optional ones have a question mark.
func objectText(r *objectRules) string {
	var names []string
	for i, rule := range r.names {
		if i >= r.properties && !rule.required || !rule.required && rule.node.never {
			continue
		}
		if len(names) == maxListed {
			names = append(names, "...")
			break
		}
		name := clean(rule.name, maxKey)
		if !rule.required {
			name += "?"
		}
		names = append(names, name)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// kindWord returns the type of a node with exactly one type, else "".
func kindWord(n *node) string {
	if words := n.types.words(); len(words) == 1 {
		return words[0]
	}
	if n.types == 0 && n.object != nil && n.object.properties > 0 {
		return strictjson.Object.String()
	}
	return ""
}
