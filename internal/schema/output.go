package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// An OutputField is a member of a struct's JSON object, with its level of detail from the cash tag.
type OutputField struct {
	Name      string // in JSON
	Index     []int  // for reflect.Value.Field, step by step
	Type      reflect.Type
	OmitEmpty bool
	OmitZero  bool
	Quoted    bool // the option string has an effect
	// Detail is the lowest level that shows the field: minimal, standard or full. It is empty, which means every level,
	// if no field of the struct has a level.
	Detail string
	// Excerpt is the length to which a text is cut below level full, in characters. Zero is uncut.
	Excerpt int
}

// OutputFields returns the fields of a struct type in Go order. An error names type and field.
func OutputFields(t reflect.Type) ([]OutputField, error) {
	var fields []OutputField
	words := false
	for _, f := range dominantFields(collectFields(t, field{}, nil)) {
		s, err := readShown(f)
		if err != nil {
			return nil, fmt.Errorf("%s: field %s: cash tag: %w", t, f.goName, err)
		}
		words = words || s.detail != ""
		fields = append(fields, OutputField{f.name, f.index, f.typ, f.omit.empty, f.omit.zero, f.quoted, s.detail, s.excerpt})
	}
	for i := range fields {
		if words && fields[i].Detail == "" {
			fields[i].Detail = "standard"
		}
	}
	return fields, nil
}

// details are the levels in ascending order.
var details = []string{"minimal", "standard", "full"}

// shown holds a tag's words about output.
type shown struct {
	detail  string
	excerpt int
}

// isShown reports whether a word is about output.
func isShown(w tagWord) bool {
	return w.name == "detail" || w.name == "excerpt"
}

// readShown parses the tags of a field and of the enclosing embedded structs. A struct shows no field below its own
// level.
func readShown(f field) (shown, error) {
	var s shown
	for _, sf := range f.around {
		outer, err := parseShown(sf.Type, sf.Tag)
		if err != nil {
			return s, fmt.Errorf("of the embedded %s: %w", sf.Name, err)
		}
		s.raise(outer.detail)
	}
	own, err := parseShown(f.typ, f.tag)
	s.raise(own.detail)
	s.excerpt = own.excerpt
	return s, err
}

// raise raises the level to at least detail.
func (s *shown) raise(detail string) {
	if slices.Index(details, detail) > slices.Index(details, s.detail) {
		s.detail = detail
	}
}

// parseShown parses the words of one tag. It ignores words that constrain arguments.
func parseShown(t reflect.Type, tag reflect.StructTag) (s shown, err error) {
	words, err := parseTag(tag.Get("cash"))
	if err != nil {
		return s, err
	}
	for _, w := range words {
		switch {
		case isShown(w):
			err = s.apply(t, w)
		case tagWords[w.name].apply == nil && w.name != "advanced":
			err = unknownWord(w)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// apply adds one word of the tag of a field of type t.
func (s *shown) apply(t reflect.Type, w tagWord) error {
	if w.name == "detail" {
		if !slices.Contains(details, w.value) {
			return fmt.Errorf("detail: %q is no level; known: minimal, standard, full", w.value)
		}
		s.detail = w.value
		return nil
	}
	if !isText(t) {
		return fmt.Errorf("excerpt does not fit %s; it cuts texts", t)
	}
	n, err := strconv.ParseUint(w.value, 10, 31)
	if err != nil || n < 2 { // one character and the ellipsis
		return fmt.Errorf("excerpt: %q is no number of characters from 2 on", w.value)
	}
	s.excerpt = int(n)
	return nil
}

// isText reports whether the JSON of a type, or of its pointer target, is the text itself.
func isText(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	return t.Kind() == reflect.String && t != reflect.TypeFor[json.Number]() &&
		!p.Implements(reflect.TypeFor[json.Marshaler]()) && !p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}
