package schema

import (
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// inferSchema is ForType without its cache. The schema is nil if the type has faults.
func inferSchema(t reflect.Type, given map[reflect.Type]Given) (*Schema, error) {
	if t == nil {
		return nil, errors.New("no Go type given")
	}
	for depth := 0; t.Kind() == reflect.Pointer && depth < strictjson.MaxDepth; depth++ {
		t = t.Elem()
	}
	in := inferrer{root: t, place: typeName(t), given: given,
		used: map[reflect.Type]bool{}, read: map[reflect.Type]bool{}, defined: map[reflect.Type]bool{}}
	in.refs = Share(t, in.inside, nil).Refs
	root := in.shape(t)
	root.defs = in.defs
	for other := range given {
		if !in.used[other] {
			in.fault("TypeSchema or Enum is given for type %s, which does not occur in it; remove the option, or name a type that occurs", other)
		}
	}
	if in.shapes > maxNodes {
		return nil, in.faults
	}
	w := shapeWriter{facts: map[string]*facts{}}
	w.write(root, "")
	if err := strictjson.Check(w.out); err != nil { // a struct is nested too deep
		in.fault("its schema: %w", err)
		return nil, in.faults
	}
	s, err := compileDocument(w.out, w.facts)
	if err != nil {
		in.fault("%w", err)
		return nil, in.faults
	}
	s.goType, s.notes = typeName(t), in.advice
	in.settle(s)
	return s, in.faults.Err()
}

// An inferrer finds the shapes of Go types. It goes on after a fault, to find all of them.
type inferrer struct {
	root    reflect.Type
	place   string                  // the type or field in work, for faults
	refs    map[reflect.Type]string // references to shared types
	defined map[reflect.Type]bool   // those of them that occurred
	defs    []definition            // of these, but for the root
	given   map[reflect.Type]Given
	used    map[reflect.Type]bool // types of given that occur
	read    map[reflect.Type]bool // structs whose tags are checked
	tagged  []taggedField
	shapes  int
	faults  Mistakes
	advice  []string
}

// A taggedField is a field whose default and example are checked later.
type taggedField struct {
	place string
	tag   string
	shape *shape
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// fault records a fault of the type or field in work.
func (in *inferrer) fault(format string, args ...any) {
	in.faults.Add(fmt.Errorf(in.place+": "+format, args...))
}

// shape infers the shape of a type. After a fault it accepts every value.
func (in *inferrer) shape(t reflect.Type) *shape {
	if in.shapes++; in.shapes > maxNodes {
		if in.shapes == maxNodes+1 {
			in.fault("its schema has more than %d subschemas; take a json.RawMessage, or a type with a schema of its own", maxNodes)
		}
		return &shape{}
	}
	if s := in.brought(t); s != nil {
		return s
	}
	ref := in.refs[t]
	if in.defined[t] && ref != "" {
		return &shape{ref: ref}
	}
	in.defined[t] = true
	s := knownShape(t)
	if s == nil {
		s = in.kindShape(t)
	}
	if ref == "" || t == in.root {
		return s
	}
	in.defs = append(in.defs, definition{strings.TrimPrefix(ref, defsRef), s})
	return &shape{ref: ref}
}

// inside returns the types of the values directly inside a type, as shape finds them.
func (in *inferrer) inside(t reflect.Type) []reflect.Type {
	if in.brings(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return []reflect.Type{t.Elem()}
	case reflect.Slice, reflect.Array, reflect.Map:
		if knownShape(t) == nil {
			return []reflect.Type{t.Elem()}
		}
	case reflect.Struct:
		if knownShape(t) != nil {
			return nil
		}
		if nullable(t) != "" {
			return []reflect.Type{t.Field(0).Type}
		}
		fields, _ := inputFields(t) // structure tells the error
		var types []reflect.Type
		for _, f := range fields {
			types = append(types, f.typ)
		}
		return types
	}
	return nil
}

// kindShape infers a type without methods that decode it, by its kind.
func (in *inferrer) kindShape(t reflect.Type) *shape {
	switch k := t.Kind(); k {
	case reflect.Pointer:
		if base, ok := pointed(t); !ok {
			in.fault("type %s is a pointer to itself, which has no JSON form; use another type", base)
			return &shape{}
		}
		return in.shape(t.Elem()).orNull()
	case reflect.Bool:
		return &shape{types: []string{"boolean"}}
	case reflect.String:
		return &shape{types: []string{"string"}}
	case reflect.Float32, reflect.Float64:
		return &shape{types: []string{"number"}, facts: &facts{number: &goNumber{float, t.Bits()}}}
	case reflect.Interface:
		if t.NumMethod() > 0 {
			in.fault("interface type %s has methods, so encoding/json cannot choose what to decode; use any, json.RawMessage or a concrete type", t)
		}
		return &shape{facts: &facts{finite: true}}
	case reflect.Slice, reflect.Array:
		return in.sequence(t)
	case reflect.Map:
		return in.mapping(t)
	case reflect.Struct:
		return in.structure(t)
	default:
		if isInteger(k) {
			return in.integer(t)
		}
		in.fault(`type %s has no JSON form; use another type, or leave the field out with json:"-"`, t)
		return &shape{}
	}
}

// pointed returns the type at the end of a chain of pointers. It reports false if the chain has none.
func pointed(t reflect.Type) (reflect.Type, bool) {
	for range strictjson.MaxDepth {
		if t.Kind() != reflect.Pointer {
			return t, true
		}
		t = t.Elem()
	}
	return t, false
}

// integer infers integers. A type with names gets them.
func (in *inferrer) integer(t reflect.Type) *shape {
	s := integerShape(t)
	if values := in.given[t].Values; values != nil {
		in.used[t] = true
		return s.named(values)
	}
	if values := namesOf(t, stringOf); values != nil {
		s.hint = meanings(values)
		advice := fmt.Sprintf("%s takes numbers where %s has names: give it UnmarshalText, or its values to registry.Enum", in.place, t)
		if !slices.Contains(in.advice, advice) {
			in.advice = append(in.advice, advice)
		}
	}
	return s
}

// integerShape publishes the bounds of kinds smaller than 64 bits; larger bounds tell a model nothing.
func integerShape(t reflect.Type) *shape {
	size := t.Bits()
	s := &shape{types: []string{"integer"}}
	if t.Kind() >= reflect.Uint {
		s.facts = &facts{number: &goNumber{unsigned, size}}
		s.bound("minimum", "0")
		if size < 64 {
			s.bound("maximum", strconv.FormatUint(math.MaxUint64>>(64-size), 10))
		}
		return s
	}
	s.facts = &facts{number: &goNumber{signed, size}}
	if size < 64 {
		s.bound("minimum", s.facts.number.lowest())
		s.bound("maximum", s.facts.number.highest())
	}
	return s
}

// sequence infers slices and arrays. Null is not accepted, because an empty array means the same.
func (in *inferrer) sequence(t reflect.Type) *shape {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && selfDecoding(t.Elem()) == nil {
		return &shape{types: []string{"string"}, encoding: "base64", facts: &facts{text: base64Text}}
	}
	s := &shape{types: []string{"array"}, items: in.shape(t.Elem())}
	if t.Kind() == reflect.Array {
		s.bound("minItems", intText(t.Len()))
		s.bound("maxItems", intText(t.Len()))
	}
	return s
}

// mapping infers maps.
func (in *inferrer) mapping(t reflect.Type) *shape {
	s := &shape{types: []string{"object"}}
	switch key := t.Key(); {
	case reflect.PointerTo(key).Implements(textUnmarshaler):
		s.keys = in.shape(key)
		s.keys.types, s.keys.facts = []string{"string"}, &facts{decode: key, key: true}
		s.facts = &facts{keys: key}
	case key.Kind() == reflect.String:
	case isInteger(key.Kind()):
		s.keys = integerKey(key)
		if values := in.given[key].Values; values != nil {
			in.used[key] = true
			s.keys.hint = meanings(values)
			for _, v := range values {
				s.keys.enum = append(s.keys.enum, quoteJSON(v.Number))
			}
		}
	default:
		in.fault("type %s: JSON has no keys of type %s; take strings, integers, or a type with MarshalText and UnmarshalText as keys", t, key)
	}
	s.additional = in.shape(t.Elem())
	return s
}

// structure infers structs. Unknown members are always rejected, because encoding/json ignores case.
func (in *inferrer) structure(t reflect.Type) *shape {
	place := in.place
	defer func() { in.place = place }()
	if t.Name() != "" {
		in.place = t.String()
	}
	if member := nullable(t); member != "" {
		s := in.shape(t.Field(0).Type).orNull()
		if s.known().wrap != "" {
			in.fault("type %s: null would mean two values; use %s", t, t.Field(0).Type)
		}
		s.known().wrap = member
		return s
	}
	owner := in.place
	in.checkFields(t)
	fields, err := inputFields(t)
	if err != nil {
		in.place = owner
		in.fault("%w", err)
	}
	s := &shape{types: []string{"object"}, isStruct: true}
	for _, f := range fields {
		in.place = owner + ": field " + f.goName
		s.fields = append(s.fields, shapeField{f.name, in.field(f), !f.optional})
	}
	return s
}

// checkFields finds faults in the tags of a struct and of the structs embedded in it.
func (in *inferrer) checkFields(t reflect.Type) {
	owner := in.place
	if in.read[t] {
		return
	}
	in.read[t] = true
	for _, err := range checkTwins(t) {
		in.fault("%w", err)
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		in.place = owner + ": field " + sf.Name
		for _, err := range checkTags(sf, true) {
			in.fault("%w", err)
		}
		if inner := embedded(sf, false); inner != nil && sf.Tag.Get("json") != "-" {
			in.place = inner.String()
			in.checkFields(inner)
		}
	}
	in.place = owner
}

// field infers one field with its tags.
func (in *inferrer) field(f field) *shape {
	s := in.shape(f.typ)
	if f.quoted {
		quoted, err := quotedShape(s)
		if err != nil {
			in.fault("%w", err)
			return s
		}
		s = quoted
	}
	if text := strings.TrimSpace(f.tag.Get("jsonschema")); text != "" {
		s.description = text
	}
	tag := f.tag.Get("cash")
	for _, err := range applyTag(s, f, tag) {
		in.fault("cash tag %q: %w", tag, err)
	}
	if s.def != nil || s.example != nil {
		s.known()
		in.tagged = append(in.tagged, taggedField{in.place, tag, s})
	}
	return s
}

// quotedShape returns the shape of a scalar with the json option string.
func quotedShape(s *shape) (*shape, error) {
	quoted := &shape{types: []string{"string"}}
	if s.is("null") {
		quoted.types = append(quoted.types, "null")
	}
	switch {
	case s.own != nil:
		return nil, errors.New("the json option string and a schema of the type exclude each other")
	case s.enum != nil:
		return nil, errors.New("the json option string and names of the values exclude each other; remove one of them")
	case s.is("boolean"):
		quoted.enum = []json.RawMessage{quoteJSON("true"), quoteJSON("false")}
		if s.is("null") {
			quoted.enum = append(quoted.enum, json.RawMessage("null"))
		}
	case s.facts != nil && s.facts.number != nil && s.facts.decode == nil:
		if s.is("integer") {
			quoted.pattern = `^-?[0-9]+$`
		}
		quoted.facts = &facts{text: quotedNumber(s.facts.number)}
	default:
		return nil, errors.New(`json:",string" works for numbers and booleans only; remove ",string"`)
	}
	return quoted, nil
}

// settle checks defaults and examples against the rules of their fields. It completes defaults of structs with the
// defaults of their members.
func (in *inferrer) settle(s *Schema) {
	for _, f := range in.tagged {
		for _, v := range []struct {
			word string
			raw  json.RawMessage
		}{{"default", f.shape.def}, {"example", f.shape.example}} {
			if v.raw == nil {
				continue
			}
			if _, err := s.check(context.Background(), f.shape.facts.node, v.raw); err != nil {
				in.place = f.place
				if f.tag != "" {
					in.place += fmt.Sprintf(": cash tag %q", f.tag)
				}
				in.fault("%s breaks the field's own rules: %w; correct one of them", v.word, err)
			}
		}
	}
	mark(s.root)
	for round := range maxRounds { // inner fields come before the fields around them, but for recursive types
		last := taggedField{}
		for _, f := range in.tagged {
			n := f.shape.facts.node
			if n.about.def == nil || !n.fills {
				continue
			}
			if full := fill(n, n.about.def, strictjson.MaxDepth); len(full) != len(n.about.def) && len(full) < maxSize {
				n.about.def, last = full, f
			}
		}
		if last.shape == nil {
			return
		}
		if in.place = last.place; round == maxRounds-1 {
			in.fault("cash tag %q: the default is an object that gets this default again inside, without end; remove it", last.tag)
		}
	}
}

// maxRounds is how often defaults of recursive types are completed with each other.
const maxRounds = 4
