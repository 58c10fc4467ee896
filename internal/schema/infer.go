package schema

import (
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// inferSchema is ForType without its cache.
func inferSchema(t reflect.Type, given map[reflect.Type]json.RawMessage) (*Schema, error) {
	if t == nil {
		return nil, errors.New("no Go type given")
	}
	for depth := 0; t.Kind() == reflect.Pointer && depth < strictjson.MaxDepth; depth++ {
		t = t.Elem()
	}
	in := inferrer{open: map[reflect.Type]bool{}, given: given, used: map[reflect.Type]bool{}}
	root, err := in.shape(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	for other := range given {
		if !in.used[other] {
			return nil, fmt.Errorf("%s: type %s, to which a schema is given, does not occur in it", t, other)
		}
	}
	w := shapeWriter{facts: map[string]*facts{}}
	w.write(root, "")
	if err := strictjson.Check(w.out); err != nil { // a struct is nested too deep
		return nil, fmt.Errorf("%s: its schema: %w", t, err)
	}
	s, err := compileDocument(w.out, w.facts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	s.goType = t.String()
	return s, in.settle(s)
}

// An inferrer finds the shapes of Go types.
type inferrer struct {
	open   map[reflect.Type]bool // enclosing named types
	given  map[reflect.Type]json.RawMessage
	used   map[reflect.Type]bool // types of given that occur
	tagged []taggedField
}

// A taggedField is a field whose default and example are checked later.
type taggedField struct {
	name  string // Go type and field, and the tag
	shape *shape
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// shape infers the shape of a type. Errors name the fields on the path.
func (in *inferrer) shape(t reflect.Type) (*shape, error) {
	if s, err := in.brought(t); s != nil || err != nil {
		return s, err
	}
	if t.Name() != "" {
		if in.open[t] {
			return nil, fmt.Errorf("type %s contains itself, which has no finite schema", t)
		}
		in.open[t] = true
		defer delete(in.open, t)
	}
	if t.Kind() == reflect.Pointer {
		s, err := in.shape(t.Elem())
		if err != nil {
			return nil, err
		}
		return s.orNull(), nil
	}
	if s := knownShape(t); s != nil {
		return s, nil
	}
	if s := selfDecoding(t); s != nil {
		return s, nil
	}
	return in.kindShape(t)
}

// knownShape covers types of the standard library that decode differently from their kind.
func knownShape(t reflect.Type) *shape {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return &shape{}
	case reflect.TypeFor[json.Number]():
		return &shape{types: []string{"number"}}
	case reflect.TypeFor[time.Time]():
		return &shape{types: []string{"string"}, format: "date-time", facts: &facts{text: formats["date-time"]}}
	case reflect.TypeFor[slog.Level]():
		return &shape{types: []string{"string"}, facts: &facts{decode: t}}
	case reflect.TypeFor[big.Int]():
		return &shape{types: []string{"integer"}, facts: &facts{number: &goNumber{kind: wholeNumber}}}
	case reflect.TypeFor[big.Rat](), reflect.TypeFor[big.Float]():
		// Without exponents, because 1e999999999 takes very long to expand.
		s := &shape{types: []string{"string"}, pattern: `^-?[0-9]+(\.[0-9]+)?$`}
		s.bound("maxLength", intText(maxBound))
		return s
	}
	return nil
}

// selfDecoding covers types with decoding methods. Each value is decoded as a check.
func selfDecoding(t reflect.Type) *shape {
	if t.Kind() == reflect.Interface {
		return nil
	}
	switch p := reflect.PointerTo(t); {
	case p.Implements(unmarshaler):
		return &shape{facts: &facts{decode: t}}
	case p.Implements(textUnmarshaler):
		return &shape{types: []string{"string"}, facts: &facts{decode: t}}
	}
	return nil
}

// kindShape covers all other types by their kind.
func (in *inferrer) kindShape(t reflect.Type) (*shape, error) {
	switch k := t.Kind(); k {
	case reflect.Bool:
		return &shape{types: []string{"boolean"}}, nil
	case reflect.String:
		return &shape{types: []string{"string"}}, nil
	case reflect.Float32, reflect.Float64:
		return &shape{types: []string{"number"}, facts: &facts{number: &goNumber{float, t.Bits()}}}, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return &shape{facts: &facts{finite: true}}, nil
		}
		return nil, fmt.Errorf("interface type %s has methods, so encoding/json cannot choose what to decode", t)
	case reflect.Slice, reflect.Array:
		return in.sequence(t)
	case reflect.Map:
		return in.mapping(t)
	case reflect.Struct:
		return in.structure(t)
	default:
		if isInteger(k) {
			return integerShape(t), nil
		}
		return nil, fmt.Errorf("type %s has no JSON form", t)
	}
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
func (in *inferrer) sequence(t reflect.Type) (*shape, error) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && selfDecoding(t.Elem()) == nil {
		return &shape{types: []string{"string"}, encoding: "base64", facts: &facts{text: base64Text}}, nil
	}
	items, err := in.shape(t.Elem())
	if err != nil {
		return nil, err
	}
	s := &shape{types: []string{"array"}, items: items}
	if t.Kind() == reflect.Array {
		s.bound("minItems", intText(t.Len()))
		s.bound("maxItems", intText(t.Len()))
	}
	return s, nil
}

// mapping infers maps.
func (in *inferrer) mapping(t reflect.Type) (*shape, error) {
	if t.Key().Kind() != reflect.String || reflect.PointerTo(t.Key()).Implements(textUnmarshaler) {
		return nil, fmt.Errorf("type %s: the keys of a map must be plain strings", t)
	}
	elem, err := in.shape(t.Elem())
	if err != nil {
		return nil, err
	}
	return &shape{types: []string{"object"}, additional: elem}, nil
}

// structure infers structs. Unknown members are always rejected, because encoding/json ignores case.
func (in *inferrer) structure(t reflect.Type) (*shape, error) {
	fields, err := inputFields(t)
	if err != nil {
		return nil, err
	}
	s := &shape{types: []string{"object"}, isStruct: true}
	for _, f := range fields {
		sub, err := in.field(t, f)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.goName, err)
		}
		s.fields = append(s.fields, shapeField{f.name, sub, !f.optional})
	}
	return s, nil
}

// field infers one field with its tags.
func (in *inferrer) field(owner reflect.Type, f field) (*shape, error) {
	s, err := in.shape(f.typ)
	if err != nil {
		return nil, err
	}
	if f.quoted {
		if s, err = quotedShape(s); err != nil {
			return nil, err
		}
	}
	if text := strings.TrimSpace(f.tag.Get("jsonschema")); text != "" {
		s.description = text
	}
	if err := applyTag(s, f); err != nil {
		return nil, fmt.Errorf("cash tag: %w", err)
	}
	if s.def != nil || s.example != nil {
		s.known()
		name := fmt.Sprintf("%s: field %s", owner, f.goName)
		if s.own == nil {
			name += ": cash tag"
		}
		in.tagged = append(in.tagged, taggedField{name, s})
	}
	return s, nil
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
		return nil, errors.New("the json option string is supported for numbers and booleans only; leave it out")
	}
	return quoted, nil
}

// settle checks defaults and examples against the rules of their fields. It completes defaults of structs with the
// defaults of their members.
func (in *inferrer) settle(s *Schema) error {
	for _, f := range in.tagged {
		for _, v := range []struct {
			word string
			raw  json.RawMessage
		}{{"default", f.shape.def}, {"example", f.shape.example}} {
			if v.raw == nil {
				continue
			}
			if _, err := s.check(context.Background(), f.shape.facts.node, v.raw); err != nil {
				return fmt.Errorf("%s: %s breaks the field's own rules: %w", f.name, v.word, err)
			}
		}
	}
	markDefaults(s.root)
	for _, f := range in.tagged { // inner fields come before the fields around them
		if n := f.shape.facts.node; n.about.def != nil && n.fills {
			n.about.def = fill(n, n.about.def, strictjson.MaxDepth)
		}
	}
	return nil
}
