package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// An OutputField is a member of the object that encoding/json makes of a struct,
// with what its cash tag says about when it is shown.
type OutputField struct {
	Name      string // in JSON
	Index     []int  // for reflect.Value.Field, step by step
	Type      reflect.Type
	OmitEmpty bool
	OmitZero  bool
	Quoted    bool // the option string, where it has an effect
	// Detail is the lowest level that shows the field: minimal, standard or full.
	// Empty is every level: no field of the struct has the word.
	Detail string
	// Excerpt is to how many characters a text is cut below full; zero is not at all.
	Excerpt int
}

// OutputFields returns the fields of a struct type in the order of Go. An error
// names type and field.
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

// details are the levels, from the least to the most.
var details = []string{"minimal", "standard", "full"}

// shown is what a tag says about when a field is shown.
type shown struct {
	detail  string
	excerpt int
}

// isShown reports whether a word is about that.
func isShown(w tagWord) bool {
	return w.name == "detail" || w.name == "excerpt"
}

// readShown reads the tags of a field and of the embedded structs around it,
// each of which shows nothing below its own level.
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

// raise makes the level no lower than another.
func (s *shown) raise(detail string) {
	if slices.Index(details, detail) > slices.Index(details, s.detail) {
		s.detail = detail
	}
}

// parseShown reads the words of one tag. Those that bound arguments say nothing
// of results.
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
	if err != nil || n < 2 { // one character and the mark
		return fmt.Errorf("excerpt: %q is no number of characters from 2 on", w.value)
	}
	s.excerpt = int(n)
	return nil
}

// isText reports whether the JSON of a type is its own text, or that of what it
// points to.
func isText(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	return t.Kind() == reflect.String && t != reflect.TypeFor[json.Number]() &&
		!p.Implements(reflect.TypeFor[json.Marshaler]()) && !p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}
