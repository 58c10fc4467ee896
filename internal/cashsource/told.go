package cashsource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// A page of help without a schema describes parameters in words. This file makes a schema of exactly what it tells.
// What it does not tell is no constraint.

// inputOf returns the arguments of a function as its page describes them. nil is a page that cannot be read.
func inputOf(f *cashtext.Function) *registry.Input {
	switch {
	case f == nil:
		return &registry.Input{Partial: "Nothing was checked: its page of help was not read."}
	case f.Schema != nil:
		return &registry.Input{Schema: f.Schema}
	case len(f.Parameters) == 0 && !f.Closed:
		return &registry.Input{Partial: "Nothing was checked: its page of help tells no parameters."}
	}
	t := &told{closed: f.Closed && f.More == ""}
	for _, p := range inOrder(f.Parameters) {
		t.add(p)
	}
	return &registry.Input{Schema: t.schema("object"), Partial: t.unchecked(f.More)}
}

// inOrder returns the parameters, outer ones before nested ones.
func inOrder(list []cashtext.Parameter) []cashtext.Parameter {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b cashtext.Parameter) int { return cmp.Compare(len(stepsOf(a.Name)), len(stepsOf(b.Name))) })
	return list
}

// told is what a page tells of one value, or of all arguments.
type told struct {
	types       []string // of JSON Schema; empty is any
	enum        []json.RawMessage
	value       json.RawMessage // the default
	description string
	listed      bool // a parameter of its own, not only the element that an array's type tells of
	required    bool
	closed      bool
	items       *told
	names       []string
	members     map[string]*told

	unclear []string // of all arguments: the parameters that could not be understood
}

// add adds a parameter.
func (t *told) add(p cashtext.Parameter) {
	at, ok := t.at(stepsOf(p.Name))
	if !ok || !at.set(p) {
		t.unclear = append(t.unclear, p.Name)
	}
}

// maxSteps bounds the nesting of parameters.
const maxSteps = 16

var isName = regexp.MustCompile(`^[^.\[\]]+(?:\[\])*(?:\.[^.\[\]]+(?:\[\])*)*$`)

// stepsOf returns the steps of a name such as items[].quantity: items, [], quantity. A name of another form is one
// step.
func stepsOf(name string) []string {
	if !isName.MatchString(name) {
		return []string{name}
	}
	return strings.FieldsFunc(strings.ReplaceAll(name, "[]", ".[]"), func(r rune) bool { return r == '.' })
}

// at returns the new value at a path. It returns false if the value that contains it is unknown, or cannot contain it,
// or if the value is there already.
func (t *told) at(steps []string) (*told, bool) {
	if len(steps) > maxSteps {
		return nil, false
	}
	for i, step := range steps {
		last := i == len(steps)-1
		next := t.items
		if step != "[]" {
			next = t.members[step]
		}
		switch {
		case i > 0 && !t.holds(step), next == nil && !last && step != "[]":
			return nil, false
		case next == nil:
			next = t.enter(step)
		}
		t = next
	}
	if !t.listed {
		return t, true
	}
	*t = told{description: t.description, listed: true} // told twice: neither counts
	return nil, false
}

// holds reports whether the value may be an array for the step [], and an object for another one.
func (t *told) holds(step string) bool {
	want := "object"
	if step == "[]" {
		want = "array"
	}
	return len(t.types) == 0 || slices.Contains(t.types, want)
}

func (t *told) enter(step string) *told {
	inner := new(told)
	if step == "[]" {
		t.items = inner
		return inner
	}
	if t.members == nil {
		t.members = make(map[string]*told)
	}
	t.names = append(t.names, step)
	t.members[step] = inner
	return inner
}

// set takes over what the page tells of the value. It reports whether all of that is understood.
func (t *told) set(p cashtext.Parameter) bool {
	t.listed, t.required, t.description = true, p.Required, p.Description
	text, understood := strings.TrimSpace(typeNote.ReplaceAllString(p.Type, "")), true
	if list := choices(text, true); list != nil {
		t.enum = texts(list)
	} else if understood = t.setType(text); !understood && p.Type != "" {
		t.description = strings.TrimSpace("Type: " + p.Type + ". " + p.Description)
	}
	switch {
	case p.Enum != nil:
		for _, v := range strictjson.Elements(p.Enum) {
			t.enum = append(t.enum, slices.Clone(v))
		}
	case t.enum == nil:
		t.enum = t.values(choices(p.Description, false))
	}
	if p.Default != nil {
		t.setDefault(p.Default)
	} else if word := cmp.Or(defaultIn(p.Description), defaultIn(p.Type)); word != "" {
		t.setDefault(t.literal(word))
	}
	return understood
}

// typeNote is a note behind a type that is no type.
var typeNote = regexp.MustCompile(`(?i)\s*\((?:optional|required|defaults?\b[^()]*)\)$`)

// setType reads a type such as "string or null" or "array of {product_id, quantity}". It reports false, and sets
// nothing, if a word is no type of JSON Schema.
func (t *told) setType(text string) bool {
	if strings.EqualFold(text, "any") {
		return true
	}
	parts := alternatives(text)
	var types []string
	var items *told
	for _, part := range parts {
		word, inner := typeWord(part)
		if word == "" {
			return false
		}
		types = append(types, word)
		if inner != "" {
			items = new(told)
			items.setType(inner)
		}
	}
	t.types = types
	if len(parts) == 1 { // otherwise the alternatives may be those of the elements
		t.items = items
	}
	return true
}

// alternatives splits a type at "or" and at bars, except in braces.
func alternatives(text string) []string {
	var parts []string
	start, depth := 0, 0
	for i := 0; i < len(text); i++ {
		width := 0
		switch {
		case text[i] == '{':
			depth++
		case text[i] == '}':
			depth--
		case depth > 0:
		case text[i] == '|':
			width = 1
		case strings.HasPrefix(text[i:], " or "):
			width = 4
		}
		if width > 0 {
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + width
			i = start - 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// typeWord returns the type of JSON Schema that a text names; empty if none. items is the type of the elements, if it
// is told.
func typeWord(text string) (word, items string) {
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(lower, "array of "):
		items = text[len("array of "):]
		if one := strings.TrimSuffix(items, "s"); slices.Contains(jsonTypes, strings.ToLower(one)) {
			items = one
		}
		return "array", items
	case strings.HasSuffix(text, "[]"):
		return "array", strings.TrimSuffix(text, "[]")
	case strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"):
		return "object", ""
	case slices.Contains(jsonTypes, lower):
		return lower, ""
	}
	return "", ""
}

var jsonTypes = []string{"string", "integer", "number", "boolean", "object", "array", "null"}

// texts returns words as JSON. A word that is also a JSON literal may be meant as either.
func texts(words []string) (list []json.RawMessage) {
	for _, word := range words {
		list = append(list, strictjson.MustMarshal(word))
		if strictjson.Check([]byte(word)) == nil {
			list = append(list, json.RawMessage(word))
		}
	}
	return list
}

// values returns the words of a list as values of the told type; nil if they are none of it.
func (t *told) values(words []string) (list []json.RawMessage) {
	for _, word := range words {
		v := t.literal(word)
		if v == nil {
			return nil
		}
		list = append(list, v)
	}
	if list != nil && slices.Contains(t.types, "null") {
		list = append(list, json.RawMessage("null"))
	}
	return list
}

// literal returns a word as a value of the told type; nil if that is unknown or another one.
func (t *told) literal(word string) json.RawMessage {
	types := slices.DeleteFunc(slices.Clone(t.types), func(s string) bool { return s == "null" })
	if len(types) != 1 {
		return nil
	}
	value := json.RawMessage(word)
	kind := strictjson.String
	if strictjson.Check(value) == nil {
		kind = strictjson.KindOf(value)
	}
	switch types[0] {
	case "string":
		return strictjson.MustMarshal(word)
	case "integer":
		if kind == strictjson.Number && !strings.ContainsAny(word, ".eE") {
			return value
		}
	case "number":
		if kind == strictjson.Number {
			return value
		}
	case "boolean":
		if kind == strictjson.Bool {
			return value
		}
	}
	return nil
}

// setDefault takes a default that is surely a value: a number or a boolean of the told type, or a listed value. A word
// such as "none" may be prose.
func (t *told) setDefault(v json.RawMessage) {
	isListed := slices.ContainsFunc(t.enum, func(one json.RawMessage) bool { return string(one) == string(v) })
	kind := strictjson.KindOf(v)
	plain := t.enum == nil && (kind == strictjson.Number || kind == strictjson.Bool) && t.literal(string(v)) != nil
	if len(v) > 0 && (isListed || plain) {
		t.value = slices.Clone(v)
	}
}

// schema returns the value as a JSON Schema. typ is its type if none is told.
func (t *told) schema(typ string) json.RawMessage {
	var b strictjson.Builder
	switch {
	case len(t.types) > 1:
		b.Add("type", strictjson.MustMarshal(slices.Compact(slices.Sorted(slices.Values(t.types)))))
	case len(t.types) == 1:
		b.AddText("type", t.types[0])
	default:
		b.AddText("type", typ)
	}
	b.AddText("description", t.description)
	if t.enum != nil {
		b.Add("enum", strictjson.MustMarshal(t.enum))
	}
	if t.value != nil {
		b.Add("default", t.value)
	}
	if t.items != nil {
		b.Add("items", t.items.schema(""))
	}
	if t.members != nil {
		t.addMembers(&b)
	}
	if t.closed {
		b.Add("additionalProperties", []byte("false"))
	}
	return b.Object()
}

func (t *told) addMembers(b *strictjson.Builder) {
	var properties strictjson.Builder
	var required []string
	for _, name := range t.names {
		properties.Add(name, t.members[name].schema(""))
		if t.members[name].required {
			required = append(required, name)
		}
	}
	b.Add("properties", properties.Object())
	if required != nil {
		b.Add("required", strictjson.MustMarshal(required))
	}
}

// unchecked says what the schema does not hold. more is the argument of help that tells more.
func (t *told) unchecked(more string) string {
	var b strings.Builder
	b.WriteString("Its server gives no schema. What its page of help tells was checked: names, types, which are required, and listed values. Not checked: other rules")
	if !t.closed {
		b.WriteString(", and arguments that it does not list")
	}
	if len(t.unclear) > 0 {
		fmt.Fprintf(&b, ", and what it tells of %s", clean.List(t.unclear, maxReason))
	}
	b.WriteString(".")
	if more != "" {
		b.WriteString(" The page has more, which was not read.")
	}
	return b.String()
}
