package schema

import "github.com/cash-mcp/go-sdk/internal/strictjson"

// This file checks $ref, $dynamicRef, allOf, anyOf, oneOf, not, if, then and else: the keywords that apply
// further schemas to the same value. In all of its functions
//
//   - v is the validation (type run, check.go), whose method value checks one schema and calls apply;
//   - p has the node's keywords of this kind (node.go); kind is the JSON type of the value;
//   - i is the index of the value's first byte in the document;
//   - ev collects the members and elements that a schema has looked at, for unevaluatedProperties and
//     unevaluatedItems (evaluated.go); nil if no schema asks;
//   - the result reports whether the value is valid. What is wrong is added to v.violations, so that a check
//     goes on after a failure until v.stopped: enough are found, nobody wants to know (probe), or the budget of
//     steps is used up (v.aborted).

// apply checks all of these keywords of a node.
func (v *run) apply(p *inPlaceRules, kind strictjson.Kind, i int, ev *evaluated) bool {
	ok := true
	if p.ref != nil {
		ok = v.sub(p.ref, i, ev)
	}
	if p.dynamic != nil {
		ok = v.sub(v.dynamicTarget(p.dynamic), i, ev) && ok
	}
	for _, n := range p.allOf {
		if !ok && v.stopped() {
			return false
		}
		ok = v.sub(n, i, ev) && ok
	}
	if !ok && v.stopped() {
		return false
	}
	ok = v.choices(p, kind, i, ev) && ok
	if p.cond == nil || !ok && v.stopped() {
		return ok
	}
	return v.conditional(p, i, ev) && ok
}

// sub checks one required subschema.
func (v *run) sub(n *node, i int, ev *evaluated) bool {
	_, ok := v.value(n, i, ev)
	return ok
}

// probe reports whether a subschema holds, without recording violations (v.quiet). What it has looked at counts
// only if it holds.
func (v *run) probe(n *node, i int, ev *evaluated) bool {
	branch := ev.branch()
	v.quiet++
	_, ok := v.value(n, i, branch)
	v.quiet--
	if ok = ok && !v.aborted; ok && branch != nil {
		v.spend(len(branch.seen))
		ev.merge(branch)
	}
	return ok
}

// choices checks anyOf, oneOf and not.
func (v *run) choices(p *inPlaceRules, kind strictjson.Kind, i int, ev *evaluated) bool {
	ok := true
	if p.anyOf != nil {
		ok = v.anyOf(p.anyOf, kind, i, ev)
	}
	if p.oneOf != nil && !v.aborted {
		ok = v.oneOf(p.oneOf, kind, i, ev) && ok
	}
	if p.not != nil && !v.aborted && v.probe(p.not, i, nil) {
		ok = v.fail("not", func() string { return excludedMessage(p.not) })
	}
	return ok && !v.aborted
}

// anyOf checks every subschema while evaluated names are collected; otherwise it stops at the first that holds.
func (v *run) anyOf(subs []*node, kind strictjson.Kind, i int, ev *evaluated) bool {
	held := false
	for _, n := range subs {
		if v.probe(n, i, ev) {
			if held = true; ev == nil {
				return true
			}
		}
		if v.aborted {
			return false
		}
	}
	return held || v.noneOf(subs, "anyOf", kind, i)
}

// oneOf requires exactly one.
func (v *run) oneOf(subs []*node, kind strictjson.Kind, i int, ev *evaluated) bool {
	held := 0
	for _, n := range subs {
		if v.probe(n, i, ev) {
			held++
		}
		if v.aborted {
			return false
		}
		if held > 1 {
			return v.fail("oneOf", func() string { return "matches more than one of its alternatives; it must match exactly one" })
		}
	}
	return held == 1 || v.noneOf(subs, "oneOf", kind, i)
}

// noneOf reports that no alternative holds. If only one of them accepts this type, it reports that one's violations.
func (v *run) noneOf(subs []*node, rule string, kind strictjson.Kind, i int) bool {
	if v.stopped() {
		return false
	}
	var only *node
	fitting := 0
	for _, n := range subs {
		if n.target().admits(kind) {
			only = n
			fitting++
		}
	}
	if fitting == 1 {
		if before := len(v.violations); !v.sub(only, i, nil) && len(v.violations) > before {
			return false
		}
	}
	return v.fail(rule, func() string { return "must be one of: " + alternatives(subs) })
}

// conditional checks if, then and else.
func (v *run) conditional(p *inPlaceRules, i int, ev *evaluated) bool {
	next := p.otherwise
	if v.probe(p.cond, i, ev) {
		next = p.then
	}
	if v.aborted {
		return false
	}
	return next == nil || v.sub(next, i, ev)
}

// dynamicTarget returns the target of a $dynamicRef: the anchor in the outermost resource that has it, of those on the
// way to this schema (v.scope, outermost first), else the one that the text alone names. A resource is a document, or a
// part of one with an $id.
func (v *run) dynamicTarget(d *dynamicRef) *node {
	v.spend(len(v.scope) / 8) // a look at a resource is cheaper than a step
	for _, res := range v.scope {
		if n := res.dynamic[d.anchor]; n != nil {
			return n
		}
	}
	return d.static
}
