package schema

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A resource is a part of the document with a base URI of its own: the root,
// and every subschema with an $id.
type resource struct {
	base    *url.URL
	root    *tree
	anchors map[string]*tree // $anchor and $dynamicAnchor
	dynamic map[string]*node // $dynamicAnchor, compiled
}

// A catalog knows the resources of one document. Nothing outside of it is ever
// read.
type catalog struct {
	byURI   map[string]*resource
	dynamic map[string][]*tree // $dynamicAnchor by name, in all resources
	legacy  bool               // draft-07 and before: $ref hides its siblings
	id      string             // the keyword for $id: draft-04 spells it id
}

// newCatalog indexes a document.
func newCatalog(root *tree) (*catalog, error) {
	c := &catalog{byURI: map[string]*resource{}, dynamic: map[string][]*tree{}, id: "$id"}
	if s := root.get("$schema"); s != nil {
		c.legacy = strings.Contains(s.text, "draft-0")
		if strings.Contains(s.text, "draft-04") || strings.Contains(s.text, "draft-03") {
			c.id = "id"
		}
	}
	res := &resource{base: new(url.URL), root: root}
	c.byURI[""] = res
	return c, c.add(root, res)
}

// The keywords that hold subschemas.
var (
	schemaKeywords = []string{"additionalItems", "additionalProperties", "contains", "else", "if", "items", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	schemaListKeywords = []string{"allOf", "anyOf", "items", "oneOf", "prefixItems"}
	schemaMapKeywords  = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// add indexes t, a subschema inside res, and all below.
func (c *catalog) add(t *tree, res *resource) error {
	if t.kind != strictjson.Object || t.res != nil {
		return nil
	}
	res, err := c.enter(t, res)
	if err != nil {
		return err
	}
	t.res = res
	for _, kw := range schemaKeywords {
		if sub := t.get(kw); sub != nil {
			if err := c.add(sub, res); err != nil {
				return err
			}
		}
	}
	for _, sub := range c.listed(t) {
		if err := c.add(sub, res); err != nil {
			return err
		}
	}
	return nil
}

// listed returns the subschemas that t holds in arrays and objects.
func (c *catalog) listed(t *tree) []*tree {
	var all []*tree
	for _, kw := range schemaListKeywords {
		if list := t.get(kw); list != nil {
			all = append(all, list.elems...)
		}
	}
	for _, kw := range schemaMapKeywords {
		if m := t.get(kw); m != nil {
			for _, b := range m.members {
				all = append(all, b.value)
			}
		}
	}
	return all
}

// enter notes the names that t gives itself, and returns the resource it
// belongs to, which an $id makes a new one.
func (c *catalog) enter(t *tree, res *resource) (*resource, error) {
	if id := t.get(c.id); id != nil && id.kind == strictjson.String && !(c.legacy && t.get("$ref") != nil) {
		anchor, plain := strings.CutPrefix(id.text, "#")
		if plain {
			res.anchor(anchor, t)
		} else {
			var err error
			if res, err = c.open(id, t, res); err != nil {
				return nil, err
			}
		}
	}
	if a := t.get("$anchor"); a != nil && a.kind == strictjson.String {
		res.anchor(a.text, t)
	}
	if a := t.get("$dynamicAnchor"); a != nil && a.kind == strictjson.String {
		res.anchor(a.text, t)
		c.dynamic[a.text] = append(c.dynamic[a.text], t)
	}
	return res, nil
}

// open makes the resource that id names.
func (c *catalog) open(id, t *tree, outer *resource) (*resource, error) {
	base, err := parseReference(outer.base, id.text)
	if err != nil {
		return nil, fmt.Errorf("%s: not a URI reference", place(id))
	}
	fragment := base.Fragment
	base.Fragment, base.RawFragment = "", ""
	res := &resource{base: base, root: t}
	if fragment != "" && c.legacy {
		res.anchor(fragment, t)
	}
	if known := c.byURI[base.String()]; known != nil && known.root != t {
		return nil, fmt.Errorf("%s: another subschema has the same identifier", place(id))
	}
	c.byURI[base.String()] = res
	return res, nil
}

func (r *resource) anchor(name string, t *tree) {
	if r.anchors == nil {
		r.anchors = map[string]*tree{}
	}
	r.anchors[name] = t
}

// resolve finds the target of a reference that stands in t.
func (c *catalog) resolve(ref *tree, from *resource) (*tree, error) {
	u, err := parseReference(from.base, ref.text)
	if err != nil {
		return nil, fmt.Errorf("%s: not a URI reference", place(ref))
	}
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	res := c.byURI[u.String()]
	if res == nil {
		return nil, fmt.Errorf("%s: %q is not in this document, and others are never read; put it under $defs", place(ref), clean(ref.text, maxShown))
	}
	target := res.anchors[fragment]
	if fragment == "" || fragment[0] == '/' {
		target = res.root.at(fragment)
	}
	if target == nil || target.kind != strictjson.Object && target.kind != strictjson.Bool {
		return nil, fmt.Errorf("%s: there is no subschema at %q", place(ref), clean(ref.text, maxShown))
	}
	return target, c.reach(target)
}

// reach indexes a target that stands where no keyword of ours leads.
func (c *catalog) reach(t *tree) error {
	for up := t; up != nil; up = up.parent {
		if up.res != nil {
			return c.add(t, up.res)
		}
	}
	return nil
}

// parseReference resolves a reference against a base.
func parseReference(base *url.URL, text string) (*url.URL, error) {
	if len(text) > maxRefLength {
		return nil, fmt.Errorf("longer than %d bytes", maxRefLength)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if base.Opaque != "" && u.Scheme == "" && u.Host == "" && u.Path == "" && u.RawQuery == "" {
		merged := *base
		merged.Fragment = u.Fragment
		return &merged, nil
	}
	return base.ResolveReference(u), nil
}

// place names a part of the document in errors.
func place(t *tree) string {
	return fmt.Sprintf("schema at %q", clean("#"+t.pointer(), 2*maxShown))
}
