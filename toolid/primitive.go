package toolid

import (
	"fmt"
	"slices"
	"strings"
)

// A Kind is the type of the thing that a [Primitive] names.
type Kind string

// The kinds of section 9, and skills, which are an extension of it.
const (
	Tool     Kind = "tool" // never written: a tool's id has no kind in front
	Resource Kind = "resource"
	Prompt   Kind = "prompt"
	Skill    Kind = "skill"
)

var kinds = []Kind{Tool, Resource, Prompt, Skill}

// A Primitive names a tool, resource, prompt or skill (section 9.1). Ids of different kinds are never equal. Primitives
// are comparable and can be map keys. The zero value is not valid.
type Primitive struct {
	Kind Kind
	ID
}

// ParsePrimitive parses an id with or without a kind, in the form of [Primitive.String]. Without a kind it is a tool's
// id, as for [Parse]. Numbered keys ([Distinct]) are not ids and are rejected.
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

// String returns kind::namespace:name#hash, or a tool's id without a kind. It does not validate the parts.
func (p Primitive) String() string {
	if p.Kind == Tool {
		return p.ID.String()
	}
	return string(p.Kind) + "::" + p.ID.String()
}

// Validate returns an error if p is not valid.
func (p Primitive) Validate() error {
	if !slices.Contains(kinds, p.Kind) {
		return fmt.Errorf("no kind %s", quote(string(p.Kind)))
	}
	return p.ID.Validate()
}

// FromResource returns the id of a resource. Its hash is over the URI, which identifies a resource (section 9.2).
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

// FromSkill returns the id of a skill. Its hash is over the path, which identifies a skill.
func FromSkill(namespace, name, path string) (Primitive, error) {
	return primitive(Skill, namespace, name, path)
}

// primitive returns the id of a thing that identity distinguishes from others of its kind.
func primitive(kind Kind, namespace, name, identity string) (Primitive, error) {
	p := Primitive{kind, ID{Namespace: namespace, Name: name}}
	p.Hash = hash8(string(kind) + "\n" + identity)
	if err := p.Validate(); err != nil {
		return Primitive{}, fmt.Errorf("%s %s: %w", kind, quote(name), err)
	}
	return p, nil
}
