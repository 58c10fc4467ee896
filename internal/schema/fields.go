package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A field is a member of a struct's JSON object, by the rules of encoding/json: fields of embedded structs are
// promoted. Of equal names the shallowest wins, then the tagged one, and none if there is still a tie.
type field struct {
	name     string // in JSON
	goName   string // preceded by the names of embedded structs
	typ      reflect.Type
	tag      reflect.StructTag
	tagged   bool // named by its tag
	optional bool // omitempty or omitzero
	omit     omission
	quoted   bool // the option string
	index    []int
	around   []reflect.StructField // the enclosing embedded structs
}

// An omission says when encoding/json omits a field.
type omission struct{ empty, zero bool }

// inputFields returns the fields of a struct for decoding, in Go order.
func inputFields(t reflect.Type) ([]field, error) {
	var settable []field
	for _, f := range collectFields(t, field{}, nil) {
		if i := slices.IndexFunc(f.around, unsettable); i >= 0 {
			return nil, fmt.Errorf("field %s: encoding/json cannot set an embedded pointer to an unexported struct; embed the struct itself, or export it", goName(f.around[:i+1]))
		}
		if !unsettable(t.FieldByIndex(f.index)) {
			settable = append(settable, f)
		}
	}
	return dominantFields(settable), nil
}

// unsettable reports whether a field is an embedded pointer to an unexported struct, which is never decoded.
func unsettable(sf reflect.StructField) bool {
	return !sf.IsExported() && sf.Type.Kind() == reflect.Pointer
}

// goName joins the names of embedded structs.
func goName(path []reflect.StructField) string {
	var names []string
	for _, sf := range path {
		names = append(names, sf.Name)
	}
	return strings.Join(names, ".")
}

// dominantFields keeps the dominant one of the fields with the same name.
func dominantFields(all []field) []field {
	byName := map[string][]field{}
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	var kept []field
	for _, f := range all {
		if winner, ok := dominant(byName[f.name]); ok && winner.goName == f.goName {
			kept = append(kept, f)
		}
	}
	return kept
}

// dominant picks the field that encoding/json would, if any.
func dominant(same []field) (field, bool) {
	depth := len(slices.MinFunc(same, func(a, b field) int { return len(a.index) - len(b.index) }).index)
	var shallow, tagged []field
	for _, f := range same {
		if len(f.index) == depth {
			shallow = append(shallow, f)
			if f.tagged {
				tagged = append(tagged, f)
			}
		}
	}
	switch {
	case len(tagged) == 1:
		return tagged[0], true
	case len(shallow) == 1:
		return shallow[0], true
	}
	return field{}, false
}

// collectFields lists all candidates. Those of embedded structs replace their struct. open are the types in progress;
// outer embeds t.
func collectFields(t reflect.Type, outer field, open []reflect.Type) []field {
	if slices.Contains(open, t) {
		return nil // shallower fields hide its names
	}
	open = append(slices.Clip(open), t)
	var all []field
	for i := range t.NumField() {
		sf := t.Field(i)
		f, ok := readField(sf)
		if !ok {
			continue
		}
		f.index, f.around = append(slices.Clip(outer.index), i), outer.around
		f.goName = sf.Name
		if outer.goName != "" {
			f.goName = outer.goName + "." + sf.Name
		}
		if inner := embedded(sf, f.tagged); inner != nil {
			f.around = append(slices.Clip(f.around), sf)
			all = append(all, collectFields(inner, f, open)...)
		} else if sf.IsExported() || isStruct(sf.Type) { // or embedded under a name
			all = append(all, f)
		}
	}
	return all
}

// isStruct reports whether t is a struct or a pointer to one.
func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

// embedded returns the struct whose fields are promoted, or nil.
func embedded(sf reflect.StructField, tagged bool) reflect.Type {
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !sf.Anonymous || tagged || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// readField parses the json tag, and reports whether the field counts.
func readField(sf reflect.StructField) (field, bool) {
	tag := sf.Tag.Get("json")
	if tag == "-" || !sf.IsExported() && !sf.Anonymous {
		return field{}, false
	}
	name, options, _ := strings.Cut(tag, ",")
	f := field{name: sf.Name, typ: sf.Type, tag: sf.Tag}
	if isTagName(name) {
		f.name, f.tagged = name, true
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			f.omit.empty, f.optional = true, true
		case "omitzero":
			f.omit.zero, f.optional = true, true
		case "string":
			f.quoted = isQuotable(sf.Type)
		}
	}
	return f, true
}

// isTagName reports whether encoding/json accepts the name in a tag.
func isTagName(name string) bool {
	if name == "" {
		return false
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			return false
		}
	}
	return true
}

// isQuotable reports whether the option string has an effect.
func isQuotable(t reflect.Type) bool {
	if t.Name() == "" && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64:
		return true
	}
	return isInteger(t.Kind())
}

func isInteger(k reflect.Kind) bool {
	return reflect.Int <= k && k <= reflect.Uintptr
}
