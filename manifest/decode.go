package manifest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// decode reads the fields of a manifest. It checks only shapes; check checks values.
func decode(top *yaml.Node) (*Manifest, error) {
	var d decoder
	o := object{&d, "", d.mapping(top, "")}
	m := &Manifest{
		Version:        o.text("cash_version"),
		LastUpdated:    o.text("last_updated"),
		Publisher:      o.text("publisher"),
		Copyright:      o.text("copyright"),
		Endpoint:       o.text("endpoint"),
		CacheTTL:       o.seconds("cache_ttl"),
		Authentication: o.authentication("authentication"),
	}
	for _, e := range o.list("namespaces") {
		m.Namespaces = append(m.Namespaces, Namespace{e.text("suggested"), e.text("description")})
	}
	for _, e := range o.list("skills") {
		m.Skills = append(m.Skills, Skill{e.text("name"), e.text("description")})
	}
	m.State = states(top)
	if d.err != nil {
		return nil, d.err
	}
	return m, nil
}

// states returns the states in x-state. Nobody else has to know the key, so that one of another shape is ignored.
func states(top *yaml.Node) []State {
	var d decoder
	m := new(Manifest)
	for _, e := range (object{&d, "", top}).list("x-state") {
		m.State = append(m.State, State{e.text("name"), Kept(e.text("kept")), e.text("description")})
	}
	m.normalize()
	var c checker
	if c.states(m.State); d.err != nil || c.err != nil {
		return nil
	}
	return m.State
}

// A decoder keeps the first problem.
type decoder struct{ err *Error }

func (d *decoder) fail(n *yaml.Node, field, format string, args ...any) {
	if d.err == nil {
		d.err = &Error{Line: n.Line, Column: n.Column, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
}

// mapping returns n; an empty mapping if n is something else.
func (d *decoder) mapping(n *yaml.Node, field string) *yaml.Node {
	if n.Kind == yaml.MappingNode {
		return n
	}
	d.fail(n, field, "%s where keys with values are wanted", strictyaml.Describe(n))
	return &yaml.Node{Kind: yaml.MappingNode}
}

// An object is a mapping with the name of its field.
type object struct {
	*decoder
	field string
	node  *yaml.Node
}

// get returns the value of a key and the name of its field; nil if the key is absent or null.
func (o object) get(key string) (*yaml.Node, string) {
	n := member(o.node, key)
	if n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil, ""
	}
	if o.field != "" {
		key = o.field + "." + key
	}
	return n, key
}

// text returns a scalar as it is spelled; "" if there is none.
func (o object) text(key string) string {
	n, field := o.get(key)
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode:
		o.fail(n, field, "%s where one text is wanted", strictyaml.Describe(n))
		return ""
	case n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str":
		o.fail(n, field, "the tag %s means nothing here: remove it", quote(n.Tag))
	}
	return n.Value
}

// seconds returns a duration in seconds: 0 if there is none, NoCache if it is less than one.
func (o object) seconds(key string) time.Duration {
	text := strings.TrimSpace(o.text(key))
	if text == "" {
		return 0
	}
	n, field := o.get(key)
	seconds, err := strconv.ParseInt(text, 10, 64)
	digits := strings.TrimLeft(text, "+-")
	switch {
	case err != nil || len(digits) > 1 && digits[0] == '0': // some readers take a leading 0 for octal
		o.fail(n, field, "%s is not a whole number of seconds such as 3600", quote(text))
	case seconds > int64(MaxTTL/time.Second):
		o.fail(n, field, "more than %d seconds", int64(MaxTTL/time.Second))
	case seconds <= 0:
		return NoCache
	default:
		return time.Duration(seconds) * time.Second
	}
	return 0
}

func (o object) authentication(key string) *Authentication {
	n, field := o.get(key)
	if n == nil {
		return nil
	}
	a := object{o.decoder, field, o.mapping(n, field)}
	return &Authentication{Scheme(a.text("scheme")), a.text("docs_url")}
}

// list returns the mappings in a sequence.
func (o object) list(key string) []object {
	n, field := o.get(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		o.fail(n, field, "%s where a list is wanted", strictyaml.Describe(n))
		return nil
	}
	entries := make([]object, 0, len(n.Content))
	for i, e := range n.Content {
		e = resolve(e)
		entry := field + "[" + strconv.Itoa(i) + "]"
		entries = append(entries, object{o.decoder, entry, o.mapping(e, entry)})
	}
	return entries
}

// member returns the value of a key; nil if there is none.
func member(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	return nil
}

// resolve returns the target of an alias, which is never an alias itself.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
