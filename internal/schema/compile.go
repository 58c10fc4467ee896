package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A compiler turns the reachable trees of a document into nodes.
type compiler struct {
	*catalog
	nodes    map[*tree]*node
	order    []*node           // nodes in the order of their creation
	trees    []*tree           // the tree of each node in order
	facts    map[string]*facts // by JSON Pointer, for Go types
	patterns map[string]*pattern
	insts    int // instructions of all patterns, and the cost of parsing them
	notes    []string
	foreign  bool  // type words that are none are accepted
	problem  error // the first of them
	picky    bool  // a subschema that accepts too much makes another reject too much

	dynamicNodes map[string]*node // by name: all possible targets of a $dynamicRef
}

var (
	anyNode   = &node{}
	neverNode = &node{never: true}
)

// compileDocument compiles raw, which strictjson.Check has accepted.
func compileDocument(raw []byte, facts map[string]*facts) (*Schema, error) {
	return compileTree(grow(raw, nil, ""), facts, false)
}

func compileTree(root *tree, facts map[string]*facts, foreign bool) (*Schema, error) {
	if root.kind != strictjson.Object && root.kind != strictjson.Bool {
		return nil, fmt.Errorf("schema is a JSON %s; it must be an object or a boolean", root.kind)
	}
	catalog, err := newCatalog(root)
	if err != nil {
		return nil, err
	}
	c := &compiler{catalog: catalog, nodes: map[*tree]*node{}, facts: facts,
		patterns: map[string]*pattern{}, dynamicNodes: map[string]*node{}, foreign: foreign}
	n, err := c.node(root)
	if err != nil {
		return nil, err
	}
	if err := c.screen(); err != nil {
		return nil, err
	}
	if len(c.dynamicNodes) == 0 {
		for _, n := range c.order {
			n.res = nil // releases the trees
		}
	}
	return &Schema{raw: root.raw, root: n, notes: c.notes, problem: c.problem, picky: c.picky, typed: facts != nil, dynamic: len(c.dynamicNodes) > 0}, nil
}

// node compiles each subschema once. A cyclic reference gets the node that is still being filled.
func (c *compiler) node(t *tree) (*node, error) {
	switch {
	case t.kind == strictjson.Bool && t.raw[0] == 't':
		return anyNode, nil
	case t.kind == strictjson.Bool:
		return neverNode, nil
	case t.kind != strictjson.Object:
		return nil, c.bad(t, "a schema, which is an object or a boolean")
	}
	if n := c.nodes[t]; n != nil {
		return n, nil
	}
	if len(c.order) == maxNodes {
		return nil, fmt.Errorf("schema has more than %d subschemas", maxNodes)
	}
	n := &node{res: t.res}
	if c.facts != nil {
		n.facts = c.facts[t.pointer()].of(n)
	}
	c.nodes[t] = n
	c.order, c.trees = append(c.order, n), append(c.trees, t)
	return n, c.keywords(n, t)
}

// keywords fills n from the members of t. Of siblings hidden by a $ref it reads only the texts. They affect no verdict,
// and generators describe a parameter beside its $ref to a shared definition.
func (c *compiler) keywords(n *node, t *tree) error {
	if t.res.hides(t) {
		for _, kw := range []string{"title", "description"} {
			if v := t.get(kw); v != nil {
				_ = keywords[kw](c, n, v) // these keywords accept any value
			}
		}
		return c.ref(n, t.get("$ref"))
	}
	for _, m := range t.members {
		c.picky = c.picky || m.name == "oneOf" || m.name == "not" || m.name == "if"
		compile := keywords[m.name]
		if compile == nil {
			continue
		}
		if err := compile(c, n, m.value); err != nil {
			return err
		}
	}
	return c.finish(n, t)
}

// A keyword compiles one member of a schema into its node.
type keyword func(c *compiler, n *node, v *tree) error

// keywords are the keywords that validate or describe. Others are ignored, as the specification requires.
var keywords map[string]keyword

func init() { // not a literal, because keywords refers to itself
	keywords = map[string]keyword{
		"$ref": (*compiler).ref, "$recursiveRef": (*compiler).ref, "$dynamicRef": (*compiler).dynamicRef,
		"allOf": inPlaceList(func(p *inPlaceRules) *[]*node { return &p.allOf }),
		"anyOf": inPlaceList(func(p *inPlaceRules) *[]*node { return &p.anyOf }),
		"oneOf": inPlaceList(func(p *inPlaceRules) *[]*node { return &p.oneOf }),
		"not":   inPlace(func(p *inPlaceRules) **node { return &p.not }),
		"if":    inPlace(func(p *inPlaceRules) **node { return &p.cond }),
		"then":  inPlace(func(p *inPlaceRules) **node { return &p.then }),
		"else":  inPlace(func(p *inPlaceRules) **node { return &p.otherwise }),

		"type": (*compiler).types, "enum": (*compiler).enum, "const": (*compiler).constant,

		"minLength": textCount(func(r *textRules) *int { return &r.min }),
		"maxLength": textCount(func(r *textRules) *int { return &r.max }),
		"pattern":   (*compiler).pattern,

		"minimum":          numberBound(func(r *numberRules) **bound { return &r.min }),
		"maximum":          numberBound(func(r *numberRules) **bound { return &r.max }),
		"exclusiveMinimum": numberBound(func(r *numberRules) **bound { return &r.above }),
		"exclusiveMaximum": numberBound(func(r *numberRules) **bound { return &r.below }),
		"multipleOf":       numberBound(func(r *numberRules) **bound { return &r.multiple }),

		"prefixItems": (*compiler).prefixItems, "items": (*compiler).items, "additionalItems": (*compiler).additionalItems,
		"contains":    (*compiler).contains,
		"minContains": arrayCount(func(r *arrayRules) *int { return &r.minContains }),
		"maxContains": arrayCount(func(r *arrayRules) *int { return &r.maxContains }),
		"minItems":    arrayCount(func(r *arrayRules) *int { return &r.min }),
		"maxItems":    arrayCount(func(r *arrayRules) *int { return &r.max }),
		"uniqueItems": (*compiler).uniqueItems,

		"properties": (*compiler).properties, "patternProperties": (*compiler).patternProperties,
		"additionalProperties": objectSchema(func(r *objectRules) **node { return &r.additional }),
		"propertyNames":        objectSchema(func(r *objectRules) **node { return &r.propertyNames }),
		"required":             (*compiler).required, "dependentRequired": (*compiler).dependencies,
		"dependentSchemas": (*compiler).dependencies, "dependencies": (*compiler).dependencies,
		"minProperties": objectCount(func(r *objectRules) *int { return &r.min }),
		"maxProperties": objectCount(func(r *objectRules) *int { return &r.max }),

		"unevaluatedItems":      nodeSchema(func(n *node) **node { return &n.unevaluatedItems }),
		"unevaluatedProperties": nodeSchema(func(n *node) **node { return &n.unevaluatedProps }),

		"title":       aboutText(func(a *about) *string { return &a.title }),
		"description": aboutText(func(a *about) *string { return &a.description }),
		"format":      aboutText(func(a *about) *string { return &a.format }),
		"default":     func(_ *compiler, n *node, v *tree) error { n.about.def = json.RawMessage(v.raw); return nil },
		"example":     func(_ *compiler, n *node, v *tree) error { n.about.example = json.RawMessage(v.raw); return nil },
		"examples":    (*compiler).examples,
	}
}

// finish handles keywords that depend on each other.
func (c *compiler) finish(n *node, t *tree) error {
	if n.array != nil {
		if n.array.contains == nil {
			n.array.minContains, n.array.maxContains = 1, -1
		}
	}
	if n.number != nil {
		n.number.draft04(t)
	}
	if n.inPlace != nil && n.inPlace.cond == nil {
		n.inPlace.then, n.inPlace.otherwise = nil, nil
	}
	return nil
}

// types compiles the keyword type.
func (c *compiler) types(n *node, v *tree) error {
	words := []*tree{v}
	if v.kind == strictjson.Array {
		words = v.elems
	}
	for _, w := range words {
		set := typeWords[w.text]
		if w.kind != strictjson.String || set == 0 {
			err := c.bad(w, "one of the seven type words, or a list of them")
			if !c.foreign || w.kind != strictjson.String {
				return err
			}
			c.problem, n.typeText = cmp.Or(c.problem, err), typeAsWritten(words)
		}
		n.types |= set
	}
	if n.typeText != "" { // one of the words may stand for any type
		n.types = 0
		return nil
	}
	if n.types == 0 {
		return c.bad(v, "at least one type word")
	}
	return nil
}

// typeAsWritten returns type words as a list, among them some that are none.
func typeAsWritten(words []*tree) string {
	var list []string
	for _, w := range words[:min(len(words), maxListed)] {
		list = append(list, clean(w.text, maxKey))
	}
	return strings.Join(list, " or ")
}

// examples takes the first example of a list.
func (c *compiler) examples(n *node, v *tree) error {
	if len(v.elems) > 0 && n.about.example == nil {
		n.about.example = json.RawMessage(v.elems[0].raw)
	}
	return nil
}

// aboutText returns the keyword for a descriptive text. Values of other types are ignored.
func aboutText(field func(*about) *string) keyword {
	return func(_ *compiler, n *node, v *tree) error {
		*field(&n.about) = v.text
		return nil
	}
}

// nodeSchema returns the keyword for one subschema.
func nodeSchema(field func(*node) **node) keyword {
	return func(c *compiler, n *node, v *tree) (err error) {
		*field(n), err = c.node(v)
		return err
	}
}

// nodeList compiles a list of subschemas.
func (c *compiler) nodeList(v *tree) ([]*node, error) {
	if v.kind != strictjson.Array || len(v.elems) == 0 {
		return nil, c.bad(v, "a list of schemas that is not empty")
	}
	list := make([]*node, len(v.elems))
	for i, elem := range v.elems {
		n, err := c.node(elem)
		if err != nil {
			return nil, err
		}
		list[i] = n
	}
	return list, nil
}

// count parses a keyword that is a count.
func (c *compiler) count(v *tree) (int, error) {
	if v.kind == strictjson.Number && len(v.raw) <= maxRefLength {
		if n, ok := parseDecimal(v.raw).count(); ok {
			return n, nil
		}
	}
	return 0, c.bad(v, "a whole number, 0 or more")
}

// names parses a list of names.
func (c *compiler) names(v *tree) ([]string, error) {
	var names []string
	for _, elem := range v.elems {
		if elem.kind != strictjson.String {
			return nil, c.bad(elem, "a name")
		}
		names = append(names, elem.text)
	}
	if v.kind != strictjson.Array {
		return nil, c.bad(v, "a list of names")
	}
	return names, nil
}

// pattern compiles the keyword pattern.
func (c *compiler) pattern(n *node, v *tree) error {
	if v.kind != strictjson.String {
		return c.bad(v, "a regular expression")
	}
	p, err := c.newPattern(v, v.text)
	n.texts().pattern = p
	return err
}

// newPattern compiles each expression once. For an expression that RE2 does not support it returns nil and adds a note:
// the rule is not enforced.
func (c *compiler) newPattern(v *tree, text string) (*pattern, error) {
	if p, ok := c.patterns[text]; ok {
		return p, nil
	}
	p, work, problem := newPattern(text)
	c.patterns[text] = p
	if c.insts += work; c.insts > maxPatterns {
		return nil, fmt.Errorf("%s: the regular expressions of the schema are too large together", place(v))
	}
	if p == nil {
		c.note(v, fmt.Sprintf("pattern %q %s and is not enforced", clean(text, maxShown), problem))
	}
	return p, nil
}

// note records a rule that is not enforced.
func (c *compiler) note(v *tree, text string) {
	if len(c.notes) < maxNotes {
		c.notes = append(c.notes, place(v)+": "+text)
	}
}

// bad returns the error of a keyword with a malformed value.
func (c *compiler) bad(v *tree, want string) error {
	return fmt.Errorf("%s: must be %s", place(v), want)
}
