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

	goName string
}

// OutputFields returns the fields of a struct type in Go order. The error is all [Mistakes] in the tags.
func OutputFields(t reflect.Type) ([]OutputField, error) {
	var fields []OutputField
	var faults Mistakes
	words := false
	for _, f := range dominantFields(collectFields(t, field{}, nil)) {
		s, err := readShown(f)
		if err != nil {
			faults.Add(fmt.Errorf("%s: field %s: cash tag %q: %w", typeName(t), f.goName, f.tag.Get("cash"), err))
			continue
		}
		words = words || s.detail != ""
		fields = append(fields, OutputField{f.name, f.index, f.typ, f.omit.empty, f.omit.zero, f.quoted, s.detail, s.excerpt, f.goName})
	}
	for i := range fields {
		if words && fields[i].Detail == "" {
			fields[i].Detail = "standard"
		}
	}
	return fields, faults.Err()
}

// CheckOutput returns the [Mistakes] of a type of results: wrong tags, and types that encoding/json cannot encode.
func CheckOutput(t reflect.Type) error {
	place := typeName(t)
	if t.Kind() != reflect.Struct {
		place = "result"
	}
	c := outputChecker{place: place, seen: map[[2]any]bool{}}
	c.check(t, false)
	return c.faults.Err()
}

// An outputChecker walks a type of results.
type outputChecker struct {
	place  string          // the type or field in work
	seen   map[[2]any]bool // types, and whether they are addressable
	faults Mistakes
}

func (c *outputChecker) fault(format string, args ...any) {
	c.faults.Add(fmt.Errorf(c.place+": "+format, args...))
}

// check checks a type. Values behind a pointer and in a slice are addressable: encoding/json calls methods with a pointer
// receiver only there.
func (c *outputChecker) check(t reflect.Type, addressable bool) {
	if !addressable && writtenEmpty(t) {
		c.fault("encoding/json writes type %s as {}, because its methods have a pointer receiver; use *%s", t, t)
		return
	}
	if c.seen[[2]any{t, addressable}] || t.Kind() != reflect.Interface && encodesItself(reflect.PointerTo(t)) {
		return
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		c.fault(`encoding/json cannot encode type %s; use another type, or leave the field out with json:"-"`, t)
		return
	}
	c.seen[[2]any{t, addressable}] = true
	if _, ok := pointed(t); !ok {
		c.fault("type %s is a pointer to itself, which has no JSON form; use another type", t)
		return
	}
	switch t.Kind() {
	case reflect.Map:
		if k := t.Key(); k.Kind() != reflect.String && !isInteger(k.Kind()) && !k.Implements(textMarshaler) {
			c.fault("type %s: JSON has no keys of type %s; take strings, integers, or a type with MarshalText as keys", t, k)
		}
		c.check(t.Elem(), false)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		c.check(t.Elem(), addressable || t.Kind() != reflect.Array)
	case reflect.Struct:
		c.structure(t, addressable)
	}
}

func (c *outputChecker) structure(t reflect.Type, addressable bool) {
	place, owner := c.place, c.place
	defer func() { c.place = place }()
	if t.Name() != "" {
		owner = t.String()
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		c.place = owner + ": field " + sf.Name
		for _, err := range checkTags(sf, false) {
			c.fault("%w", err)
		}
	}
	fields, err := OutputFields(t)
	c.faults.Add(err)
	for _, f := range fields {
		c.place = owner + ": field " + f.goName
		if !f.OmitZero || f.Type.Kind() != reflect.Chan && f.Type.Kind() != reflect.Func { // nil is left out
			byPointer := false
			for i := 1; i < len(f.Index); i++ {
				byPointer = byPointer || t.FieldByIndex(f.Index[:i]).Type.Kind() == reflect.Pointer
			}
			c.check(f.Type, addressable || byPointer)
		}
	}
}

// writtenEmpty reports whether a value of type t that is not addressable loses all it has, such as a big.Int.
func writtenEmpty(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !encodesItself(t) && encodesItself(reflect.PointerTo(t)) && len(collectFields(t, field{}, nil)) == 0
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// encodesItself reports whether encoding/json calls a method of a type.
func encodesItself(t reflect.Type) bool {
	return t.Implements(marshaler) || t.Implements(textMarshaler)
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
	for i, w := range words {
		switch {
		case isShown(w):
			err = s.apply(t, w)
		case tagWords[w.name].apply == nil && w.name != "advanced":
			err = unknownWord(field{}, words[:i], w)
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
			return fmt.Errorf("detail: %q is not a level; write minimal, standard or full", w.value)
		}
		s.detail = w.value
		return nil
	}
	if !isText(t) {
		return fmt.Errorf("excerpt does not fit %s; it cuts texts; remove it", t)
	}
	n, err := strconv.ParseUint(w.value, 10, 31)
	if err != nil || n < 2 { // one character and the ellipsis
		return fmt.Errorf("excerpt: %q is no number of characters; write one from 2 on", w.value)
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
	return t.Kind() == reflect.String && t != reflect.TypeFor[json.Number]() && !encodesItself(p)
}
