package openapi

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A parent lists its children by oneOf or anyOf, and each child refers back to it by allOf. Read literally, that is a
// cycle that no value ends. A child means the parent without that list: its base.

// maxFamily bounds the schemas that are looked at for all families of one translator.
const maxFamily = 50_000

// lists are the keywords by which a parent lists its children.
var lists = []string{"oneOf", "anyOf"}

// family returns the schemas that the lists of a parent lead to.
func (t *translator) family(parent *node) map[*node]bool {
	family, ok := t.families[parent]
	if !ok {
		family = t.made(parent, lists...)
		t.families[parent] = family
	}
	return family
}

// inherits reports whether n, a part of an allOf, refers to a parent that lists what n is a part of.
func (t *translator) inherits(n, parent *node) bool { return t.family(parent)[n] }

// hasParts reports whether the members of a schema are also those of others: of what it is made of by allOf, or of the
// children that it lists if it is closed.
func (t *translator) hasParts(n *node) bool {
	return n.get("allOf") != nil && !wraps(n) || isNo(n.get("additionalProperties")) && t.family(n)[n]
}

// wraps reports whether a schema is made of one other and says nothing of members.
func wraps(n *node) bool {
	for _, key := range n.names() {
		if !strings.Contains(told+wrapping, " "+key+" ") && !strings.HasPrefix(key, "x-") {
			return false
		}
	}
	return len(n.get("allOf").elements()) == 1
}

// wrapping are the keywords, beside those that are told, of a schema that wraps another one.
const wrapping = " allOf type nullable default required readOnly writeOnly "

// listed reports whether a list of a parent leads back to it. Other lists are a part of its base.
func (t *translator) listed(parent *node, key string) bool {
	return t.made(parent, key)[parent]
}

// made returns the schemas that the members keys of n apply to the same value, through references, allOf, anyOf and
// oneOf.
func (t *translator) made(n *node, keys ...string) map[*node]bool {
	seen := make(map[*node]bool)
	var list []*node
	add := func(n *node) {
		if n.kind() == strictjson.Object && !seen[n] && t.kin < maxFamily && t.set.work.spend(64) {
			t.kin++
			seen[n] = true
			list = append(list, n)
		}
	}
	parts := func(n *node, keys ...string) {
		for _, key := range keys {
			for _, e := range n.get(key).elements() {
				add(e)
			}
		}
	}
	parts(n, keys...)
	for i := 0; i < len(list); i++ {
		ref := list[i].text("$ref")
		if ref != "" {
			if next, _, err := t.set.lookup(ref, list[i].file.name); err == nil {
				add(next)
			}
		}
		if ref == "" || !t.old {
			parts(list[i], "allOf", "anyOf", "oneOf")
		}
	}
	return seen
}

// closed reports whether a schema, or one that it is made of by allOf, has no members beside its own. Generators close
// both, a parent and the child that is made of it; read literally, no value would fit the child.
func (t *translator) closed(n *node) bool {
	if n.kind() != strictjson.Object || !t.set.work.spend(64) {
		return false
	}
	if shut, known := t.shut[n]; known {
		return shut
	}
	t.shut[n] = false // meanwhile, for cycles
	shut := isNo(n.get("additionalProperties")) || isNo(n.get("unevaluatedProperties"))
	if ref := n.text("$ref"); ref != "" && !shut {
		next, _, err := t.set.resolve(n)
		shut = err == nil && t.closed(next)
	}
	for _, e := range n.get("allOf").elements() {
		shut = shut || t.closed(e)
	}
	t.shut[n] = shut
	return shut
}

func isNo(n *node) bool { return n.kind() == strictjson.Bool && string(n.raw) == "false" }
