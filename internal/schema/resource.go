package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A resource is a part of the document with its own base URI: the root, and every subschema with an $id.
type resource struct {
	draft
	base    *url.URL
	root    *tree
	anchors map[string]*tree // $anchor and $dynamicAnchor
	dynamic map[string]*node // $dynamicAnchor, compiled
}

// A catalog indexes the resources of one document. It never reads anything outside of it.
type catalog struct {
	byURI   map[string]*resource
	dynamic map[string][]*tree // $dynamicAnchor by name, in all resources
}

// newCatalog indexes a document.
func newCatalog(root *tree) (*catalog, error) {
	c := &catalog{byURI: map[string]*resource{}, dynamic: map[string][]*tree{}}
	res := &resource{draft: draftOf(root, latest), base: new(url.URL), root: root}
	c.byURI[""] = res
	return c, c.add(root, res)
}

// The keywords that hold subschemas.
var (
	schemaKeywords = []string{"additionalItems", "additionalProperties", "contains", "else", "if", "items", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	schemaListKeywords = []string{"allOf", "anyOf", "items", "oneOf", "prefixItems"}
	schemaMapKeywords  = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
	definitionKeywords = []string{"$defs", "definitions"}
)

// Holds reports whether the value of a keyword is a schema or a list of them, or an object of schemas by name.
func Holds(keyword string) (schemas, named bool) {
	return slices.Contains(schemaKeywords, keyword) || slices.Contains(schemaListKeywords, keyword), slices.Contains(schemaMapKeywords, keyword)
}

// add indexes t, a subschema inside res, and everything below it.
func (c *catalog) add(t *tree, res *resource) error {
	if t.kind != strictjson.Object || t.res != nil {
		return nil
	}
	res, err := c.enter(t, res)
	if err != nil {
		return err
	}
	t.res = res
	for _, sub := range res.subschemas(t) {
		if err := c.add(sub, res); err != nil {
			return err
		}
	}
	return nil
}

// subschemas returns the subschemas of t. Of the siblings that a $ref hides, only definitions count.
func (r *resource) subschemas(t *tree) []*tree {
	if r.hides(t) {
		return t.values(definitionKeywords)
	}
	var all []*tree
	for _, kw := range schemaKeywords {
		if sub := t.get(kw); sub != nil {
			all = append(all, sub)
		}
	}
	for _, kw := range schemaListKeywords {
		if list := t.get(kw); list != nil {
			all = append(all, list.elems...)
		}
	}
	return append(all, t.values(schemaMapKeywords)...)
}

// enter records the names of t, and returns its resource. An $id starts a new one, which may declare its own draft.
func (c *catalog) enter(t *tree, res *resource) (*resource, error) {
	if res.hides(t) {
		return res, nil
	}
	if id := res.identifier(t); id != nil {
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

// open creates the resource that id names.
func (c *catalog) open(id, t *tree, outer *resource) (*resource, error) {
	base, err := parseReference(outer.base, id.text)
	if err != nil {
		return nil, fmt.Errorf("%s: not a URI reference", place(id))
	}
	fragment := base.Fragment
	base.Fragment, base.RawFragment = "", ""
	res := &resource{draft: draftOf(t, outer.draft), base: base, root: t}
	if fragment != "" && res.refAlone {
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

// resolve returns the target of a reference in t.
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

// reach indexes a target that no supported keyword contains.
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

// place returns a location in the document for errors.
func place(t *tree) string {
	return fmt.Sprintf("schema at %q", clean("#"+t.pointer(), 2*maxShown))
}
