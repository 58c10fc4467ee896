package registry

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// An entry is one key of a map, as JSON text, with its value.
type entry struct {
	name  string
	value reflect.Value
}

// sortedEntries returns the entries of a map in the order of encoding/json. The trimmer writes maps
// with it.
func sortedEntries(v reflect.Value) ([]entry, error) {
	entries := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		name, err := keyText(it.Key())
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// isKey reports whether encoding/json accepts a type as the key of a map.
func isKey(t reflect.Type) bool {
	return t.Kind() == reflect.String || reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr || t.Implements(textMarshaler)
}

// keyText returns the JSON text of a key.
func keyText(k reflect.Value) (string, error) {
	if k.Kind() == reflect.String {
		return k.String(), nil
	}
	if m, ok := k.Interface().(encoding.TextMarshaler); ok {
		if k.Kind() == reflect.Pointer && k.IsNil() {
			return "", nil
		}
		text, err := m.MarshalText()
		return string(text), err
	}
	if k.CanInt() {
		return strconv.FormatInt(k.Int(), 10), nil
	}
	if k.CanUint() {
		return strconv.FormatUint(k.Uint(), 10), nil
	}
	return "", fmt.Errorf("a key of type %v has no text", k.Type())
}
