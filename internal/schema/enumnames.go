package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Value is a named value of an integer type.
type Value struct {
	Name   string
	Number string // in decimal
}

// Limits on names that are found by asking a type.
const (
	maxNames  = 24  // names of one type
	maxProbed = 256 // values that are asked for their name
)

// valueName is the form of a name. The texts that generators make for unknown values, such as Color(7), are none.
var valueName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 _-]{0,39}$`)

// namesOf returns the named ones of the values 0, 1, 2 and so on of an integer type. A text that several values have, or
// that a value has only at times, names none of them. It is nil unless the type has some, and values without a name.
func namesOf(t reflect.Type, nameOf func(reflect.Value) string) []Value {
	var values []Value
	given := map[string]int{}
	for i := -1; i <= maxProbed; i++ {
		v := reflect.New(t)
		switch e := v.Elem(); {
		case e.CanInt() && !e.OverflowInt(int64(i)):
			e.SetInt(int64(i))
		case e.CanUint() && i >= 0 && !e.OverflowUint(uint64(i)):
			e.SetUint(uint64(i))
		default:
			continue
		}
		name := nameOf(v)
		if given[name]++; given[name] == 1 && valueName.MatchString(name) && nameOf(v) == name {
			values = append(values, Value{name, intText(i)})
		}
	}
	values = slices.DeleteFunc(values, func(v Value) bool {
		return given[v.Name] > 1 || v.Number == "-1" || v.Number == intText(maxProbed) // those tell what lies beyond
	})
	if len(values) < 2 || len(values) > maxNames {
		return nil
	}
	return values
}

// stringOf returns the result of a String method, empty if there is none.
func stringOf(v reflect.Value) (name string) {
	defer ignorePanic(&name)
	if s, ok := v.Interface().(fmt.Stringer); ok {
		name = s.String()
	}
	return name
}

// textOf returns the text from which a value of a type with UnmarshalText decodes: that of MarshalText, else of String.
// It is empty if another value decodes from it.
func textOf(v reflect.Value) (name string) {
	defer ignorePanic(&name)
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			return ""
		}
		name = string(text)
	} else {
		name = stringOf(v)
	}
	back := reflect.New(v.Type().Elem())
	if back.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name)) != nil || !back.Elem().Equal(v.Elem()) {
		return ""
	}
	return name
}

func ignorePanic(name *string) {
	if recover() != nil {
		*name = ""
	}
}

// listed returns the names of values in a row.
func listed(values []Value) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.Name
	}
	return strings.Join(names, ", ")
}

// meanings says which number is which value.
func meanings(values []Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = v.Number + " is " + v.Name
	}
	return strings.Join(parts, ", ") + "."
}

// Meanings says which number is which value of an integer type with names; empty for other types.
func Meanings(t reflect.Type) string {
	if !isInteger(t.Kind()) {
		return ""
	}
	values := namesOf(t, stringOf)
	if values == nil {
		return ""
	}
	return meanings(values)
}

// named returns the shape of an integer type whose values are registered: their names, or the numbers that encoding/json
// decodes.
func (s *shape) named(values []Value) *shape {
	n := &shape{types: []string{"string", "integer"}, hint: meanings(values), facts: s.facts}
	numbers := map[string]string{}
	var plain []json.RawMessage
	for _, v := range values {
		numbers[v.Name] = v.Number
		n.enum, plain = append(n.enum, quoteJSON(v.Name)), append(plain, json.RawMessage(v.Number))
	}
	n.enum = append(n.enum, plain...)
	n.facts.convert = func(raw []byte) []byte {
		if number := numbers[strictjson.Text(raw)]; strictjson.KindOf(raw) == strictjson.String && number != "" {
			return []byte(number)
		}
		return raw
	}
	return n
}
