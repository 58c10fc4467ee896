package schema

import (
	"fmt"
	"net/url"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

func (n *node) inPlaces() *inPlaceRules {
	if n.inPlace == nil {
		n.inPlace = &inPlaceRules{}
	}
	return n.inPlace
}

// inPlace returns the keyword that applies one subschema to the same value.
func inPlace(field func(*inPlaceRules) **node) keyword {
	return func(c *compiler, n *node, v *tree) (err error) {
		*field(n.inPlaces()), err = c.node(v)
		return err
	}
}

// inPlaceList returns the keyword that applies several.
func inPlaceList(field func(*inPlaceRules) *[]*node) keyword {
	return func(c *compiler, n *node, v *tree) error {
		subs, err := c.nodeList(v)
		list := field(n.inPlaces())
		*list = append(*list, subs...)
		return err
	}
}

// ref compiles $ref.
func (c *compiler) ref(n *node, v *tree) error {
	target, err := c.target(v)
	if err != nil {
		return err
	}
	sub, err := c.node(target)
	if err != nil {
		return err
	}
	p := n.inPlaces()
	if p.ref != nil { // $ref beside $recursiveRef
		p.allOf = append(p.allOf, sub)
		return nil
	}
	p.ref = sub
	return nil
}

// target returns the target of a reference.
func (c *compiler) target(v *tree) (*tree, error) {
	if v.kind != strictjson.String {
		return nil, c.bad(v, "a URI reference")
	}
	return c.resolve(v, v.parent.res)
}

// dynamicRef compiles $dynamicRef. It is an ordinary reference unless its target is a $dynamicAnchor of that name. Then
// the outermost resource on the path may have another target.
func (c *compiler) dynamicRef(n *node, v *tree) error {
	target, err := c.target(v)
	if err != nil {
		return err
	}
	sub, err := c.node(target)
	if err != nil {
		return err
	}
	name := ""
	if u, err := url.Parse(v.text); err == nil {
		name = u.Fragment
	}
	anchor := target.get("$dynamicAnchor")
	if anchor == nil || anchor.text != name || target.res.hides(target) {
		n.inPlaces().allOf = append(n.inPlaces().allOf, sub)
		return nil
	}
	candidates, err := c.candidates(name)
	n.inPlaces().dynamic = &dynamicRef{anchor: name, static: sub, candidates: candidates}
	return err
}

// candidates compiles all possible targets of a $dynamicRef with this name, and returns one node for all of them.
func (c *compiler) candidates(name string) (*node, error) {
	if n := c.dynamicNodes[name]; n != nil {
		return n, nil
	}
	all := &node{}
	c.dynamicNodes[name] = all
	for _, t := range c.dynamic[name] {
		sub, err := c.node(t)
		if err != nil {
			return nil, err
		}
		if t.res.dynamic == nil {
			t.res.dynamic = map[string]*node{}
		}
		t.res.dynamic[name] = sub
		all.inPlaces().allOf = append(all.inPlaces().allOf, sub)
	}
	return all, nil
}

// screen rejects schemas that apply subschemas to one value endlessly, or too many in a row, because each level of a
// value may cost that many stack frames.
func (c *compiler) screen() error {
	s := screening{chain: make(map[*node]int, len(c.order))}
	for i, n := range c.order {
		if s.depth(n) < 0 {
			return fmt.Errorf("%s: applies itself to the same value without end", place(c.trees[i]))
		}
		if s.chain[n] > maxChain {
			return fmt.Errorf("%s: applies more than %d subschemas in a row to the same value", place(c.trees[i]), maxChain)
		}
	}
	return nil
}

// A screening measures how many subschemas each node applies in a row to one value.
type screening struct {
	chain map[*node]int // -1 during the measurement, and for cycles
}

// depth returns the length of the longest chain from n, or -1 for a cycle.
func (s *screening) depth(n *node) int {
	if d, ok := s.chain[n]; ok {
		return d
	}
	s.chain[n] = -1
	longest := 0
	for _, sub := range n.applied() {
		d := s.depth(sub)
		if d < 0 {
			return -1
		}
		longest = max(longest, d)
	}
	s.chain[n] = longest + 1
	return longest + 1
}

// applied lists the nodes that n may apply to its own value.
func (n *node) applied() []*node {
	var subs []*node
	if p := n.inPlace; p != nil {
		subs = append(subs, p.allOf...)
		subs = append(subs, p.anyOf...)
		subs = append(subs, p.oneOf...)
		subs = append(subs, p.ref, p.not, p.cond, p.then, p.otherwise)
		if p.dynamic != nil {
			subs = append(subs, p.dynamic.candidates)
		}
	}
	if n.object != nil {
		for _, d := range n.object.dependencies {
			subs = append(subs, d.node)
		}
	}
	kept := subs[:0]
	for _, sub := range subs {
		if sub != nil {
			kept = append(kept, sub)
		}
	}
	return kept
}
