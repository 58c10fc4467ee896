package schema

import (
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// maxBound is the maximum length of a number in a schema's rule, in bytes.
const maxBound = 1_000

func (n *node) texts() *textRules {
	if n.text == nil {
		n.text = &textRules{max: -1}
	}
	return n.text
}

func (n *node) numbers() *numberRules {
	if n.number == nil {
		n.number = &numberRules{}
	}
	return n.number
}

func (n *node) arrays() *arrayRules {
	if n.array == nil {
		n.array = &arrayRules{minContains: 1, maxContains: -1, max: -1}
	}
	return n.array
}

func (n *node) objects() *objectRules {
	if n.object == nil {
		n.object = &objectRules{max: -1}
	}
	return n.object
}

// textCount returns the keyword that bounds a length.
func textCount(field func(*textRules) *int) keyword {
	return func(c *compiler, n *node, v *tree) (err error) {
		*field(n.texts()), err = c.count(v)
		return err
	}
}

// arrayCount returns the keyword that bounds the number of items.
func arrayCount(field func(*arrayRules) *int) keyword {
	return func(c *compiler, n *node, v *tree) (err error) {
		*field(n.arrays()), err = c.count(v)
		return err
	}
}

// objectCount returns the keyword that bounds the number of members.
func objectCount(field func(*objectRules) *int) keyword {
	return func(c *compiler, n *node, v *tree) (err error) {
		*field(n.objects()), err = c.count(v)
		return err
	}
}

// objectSchema returns the keyword for members that is one subschema.
func objectSchema(field func(*objectRules) **node) keyword {
	return func(c *compiler, n *node, v *tree) (err error) {
		*field(n.objects()), err = c.node(v)
		return err
	}
}

// numberBound returns the keyword that compares numbers. draft04 handles booleans.
func numberBound(field func(*numberRules) **bound) keyword {
	return func(c *compiler, n *node, v *tree) error {
		if v.kind == strictjson.Bool {
			n.numbers()
			return nil
		}
		if v.kind != strictjson.Number || len(v.raw) > maxBound {
			return c.bad(v, fmt.Sprintf("a number of at most %d characters", maxBound))
		}
		b := &bound{value: parseDecimal(v.raw), text: clean(string(v.raw), maxShown)}
		*field(n.numbers()) = b
		if v.token == "multipleOf" && b.value.sign() <= 0 {
			return c.bad(v, "a number above 0")
		}
		return nil
	}
}

// draft04 makes a bound exclusive if "exclusiveMinimum" or "exclusiveMaximum" is true.
func (r *numberRules) draft04(t *tree) {
	isTrue := func(kw string) bool {
		v := t.get(kw)
		return v != nil && v.kind == strictjson.Bool && v.raw[0] == 't'
	}
	if isTrue("exclusiveMinimum") {
		r.above, r.min = r.min, nil
	}
	if isTrue("exclusiveMaximum") {
		r.below, r.max = r.max, nil
	}
}

func (c *compiler) prefixItems(n *node, v *tree) (err error) {
	n.arrays().prefix, err = c.nodeList(v)
	return err
}

// items compiles both forms: a schema, and draft-07's list, which is now called prefixItems.
func (c *compiler) items(n *node, v *tree) (err error) {
	if v.kind != strictjson.Array {
		n.arrays().items, err = c.node(v)
		return err
	}
	for _, elem := range v.elems {
		sub, err := c.node(elem)
		if err != nil {
			return err
		}
		n.arrays().prefix = append(n.arrays().prefix, sub)
	}
	return nil
}

// additionalItems applies only beside a list of items.
func (c *compiler) additionalItems(n *node, v *tree) (err error) {
	if items := v.parent.get("items"); items != nil && items.kind == strictjson.Array {
		n.arrays().items, err = c.node(v)
	}
	return err
}

func (c *compiler) contains(n *node, v *tree) (err error) {
	n.arrays().contains, err = c.node(v)
	return err
}

func (c *compiler) uniqueItems(n *node, v *tree) error {
	if v.kind != strictjson.Bool {
		return c.bad(v, "true or false")
	}
	n.arrays().unique = v.raw[0] == 't'
	return nil
}

func (c *compiler) properties(n *node, v *tree) error {
	if v.kind != strictjson.Object {
		return c.bad(v, "an object of schemas")
	}
	// Properties come first among the names, even if other keywords came before.
	r, before := n.objects(), n.objects().names
	r.names, r.index, r.properties = nil, nil, len(v.members)
	for _, m := range v.members {
		sub, err := c.node(m.value)
		if err != nil {
			return err
		}
		r.names[r.name(m.name)].node = sub
	}
	moved := make([]int, len(before))
	for i, b := range before {
		moved[i] = r.name(b.name)
		r.names[moved[i]].required = b.required
	}
	r.renumber(moved)
	return nil
}

// renumber updates indices of moved names.
func (r *objectRules) renumber(moved []int) {
	for i := range r.dependencies {
		d := &r.dependencies[i]
		d.trigger = moved[d.trigger]
		for j := range d.needs {
			d.needs[j] = moved[d.needs[j]]
		}
	}
}

func (c *compiler) patternProperties(n *node, v *tree) error {
	if v.kind != strictjson.Object {
		return c.bad(v, "an object of schemas")
	}
	for _, m := range v.members {
		sub, err := c.node(m.value)
		if err != nil {
			return err
		}
		p, err := c.newPattern(m.value, m.name)
		if err != nil {
			return err
		}
		n.objects().patterns = append(n.objects().patterns, patternRule{p, sub})
	}
	return nil
}

func (c *compiler) required(n *node, v *tree) error {
	if v.kind == strictjson.Bool {
		return nil // draft-03 wrote it inside the property
	}
	names, err := c.names(v)
	r := n.objects()
	for _, name := range names {
		r.names[r.name(name)].required = true
		r.requires = true
	}
	return err
}

// dependencies compiles dependentRequired, dependentSchemas and draft-07's dependencies, which can be either.
func (c *compiler) dependencies(n *node, v *tree) error {
	if v.kind != strictjson.Object {
		return c.bad(v, "an object")
	}
	r := n.objects()
	for _, m := range v.members {
		d := dependency{trigger: r.name(m.name)}
		if m.value.kind == strictjson.Array {
			names, err := c.names(m.value)
			if err != nil {
				return err
			}
			for _, name := range names {
				d.needs = append(d.needs, r.name(name))
			}
		} else {
			sub, err := c.node(m.value)
			if err != nil {
				return err
			}
			d.node = sub
		}
		r.dependencies = append(r.dependencies, d)
	}
	return nil
}
