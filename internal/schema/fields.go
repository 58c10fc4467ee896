package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A field is a member of a struct's JSON object, found as encoding/json finds
// it: through embedded structs, where the shallowest name wins, then a tagged
// one, and no one when that leaves a tie.
type field struct {
	name     string // in JSON
	goName   string // with the names of embedded structs before it
	typ      reflect.Type
	tag      reflect.StructTag
	tagged   bool // named by its tag
	optional bool // omitempty or omitzero
	quoted   bool // the option string
	depth    int  // number of embedded structs around it
}

// jsonFields returns the fields of a struct type in the order of Go.
func jsonFields(t reflect.Type) ([]field, error) {
	all, err := collectFields(t, "", 0, nil)
	if err != nil {
		return nil, err
	}
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
	return kept, nil
}

// dominant picks the field that encoding/json would, if any.
func dominant(same []field) (field, bool) {
	depth := slices.MinFunc(same, func(a, b field) int { return a.depth - b.depth }).depth
	var shallow, tagged []field
	for _, f := range same {
		if f.depth == depth {
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

// collectFields lists all candidates, with those of embedded structs in their
// place. The types in around are being collected.
func collectFields(t reflect.Type, prefix string, depth int, around []reflect.Type) ([]field, error) {
	if slices.Contains(around, t) {
		return nil, nil // its names are hidden by the shallower ones
	}
	around = append(slices.Clip(around), t)
	var all []field
	for i := range t.NumField() {
		sf := t.Field(i)
		f, ok := readField(sf)
		if !ok {
			continue
		}
		f.goName, f.depth = prefix+sf.Name, depth
		if inner := embedded(sf, f.tagged); inner != nil {
			below, err := collectFields(inner, f.goName+".", depth+1, around)
			if err != nil {
				return nil, err
			}
			if len(below) > 0 && !sf.IsExported() && sf.Type.Kind() == reflect.Pointer {
				return nil, fmt.Errorf("field %s: encoding/json cannot set an embedded pointer to an unexported struct", f.goName)
			}
			all = append(all, below...)
		} else if sf.IsExported() || sf.Type.Kind() == reflect.Struct { // or embedded under a name
			all = append(all, f)
		}
	}
	return all, nil
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

// readField reads the json tag, and reports whether the field may count.
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
		case "omitempty", "omitzero":
			f.optional = true
		case "string":
			f.quoted = isQuotable(sf.Type)
		}
	}
	return f, true
}

// isTagName reports whether encoding/json takes a name from a tag.
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
