package toolid

import (
	"fmt"
	"slices"
	"strings"
)

// A Kind says what a [Primitive] names.
type Kind string

// The kinds of section 9, and skills, which are an extension of it.
const (
	Tool     Kind = "tool" // never written: a tool's id stands alone
	Resource Kind = "resource"
	Prompt   Kind = "prompt"
	Skill    Kind = "skill"
)

var kinds = []Kind{Tool, Resource, Prompt, Skill}

// A Primitive names a tool, resource, prompt or skill (section 9.1). No two
// kinds share an id. Primitives can be compared and be keys of maps. The zero
// value is not valid.
type Primitive struct {
	Kind Kind
	ID
}

// ParsePrimitive reads an id with or without a kind, as [Primitive.String]
// writes it; without one it is a tool's, as for [Parse]. Numbered keys
// ([Distinct]) are no ids and are refused.
func ParsePrimitive(s string) (Primitive, error) {
	kind, rest := Tool, s
	if prefix, body, found := strings.Cut(s, "::"); found {
		if kind = Kind(prefix); kind == Tool || !slices.Contains(kinds, kind) {
			return Primitive{}, fmt.Errorf("parsing primitive id %s: no kind %s; want resource, prompt or skill", quote(s), quote(prefix))
		}
		rest = body
	}
	id, err := parse(rest)
	if err != nil {
		return Primitive{}, fmt.Errorf("parsing primitive id %s: %w", quote(s), err)
	}
	return Primitive{kind, id}, nil
}

// String returns the id with its kind in front, kind::namespace:name#hash, and
// that of a tool without. It does not check the parts.
func (p Primitive) String() string {
	if p.Kind == Tool {
		return p.ID.String()
	}
	return string(p.Kind) + "::" + p.ID.String()
}

// Validate returns what keeps p from being valid, or nil.
func (p Primitive) Validate() error {
	if !slices.Contains(kinds, p.Kind) {
		return fmt.Errorf("no kind %s", quote(string(p.Kind)))
	}
	return p.ID.Validate()
}

// FromResource returns the id of a resource. Its hash is over the URI, which is
// what a resource is known by (section 9.2).
func FromResource(namespace, name, uri string) (Primitive, error) {
	return primitive(Resource, namespace, name, uri)
}

// FromPrompt returns the id of a prompt. Its hash is over the name and the
// names of its arguments, in any order (section 9.2).
func FromPrompt(namespace, name string, arguments []string) (Primitive, error) {
	names := make([][]byte, 0, len(arguments))
	for _, a := range slices.Sorted(slices.Values(arguments)) {
		names = append(names, []byte(a))
	}
	return primitive(Prompt, namespace, name, string(appendNames([]byte(name+"\n"), names)))
}

// FromSkill returns the id of a skill. Its hash is over the path, which is
// what the skill is known by.
func FromSkill(namespace, name, path string) (Primitive, error) {
	return primitive(Skill, namespace, name, path)
}

// primitive returns the id of something that identity tells from others of its
// kind.
func primitive(kind Kind, namespace, name, identity string) (Primitive, error) {
	p := Primitive{kind, ID{Namespace: namespace, Name: name}}
	p.Hash = hash8(string(kind) + "\n" + identity)
	if err := p.Validate(); err != nil {
		return Primitive{}, fmt.Errorf("%s %s: %w", kind, quote(name), err)
	}
	return p, nil
}
