package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A Field is what a JSON value can be read into: a string, a boolean, a whole number in any spelling up to 2^53, or
// an object as it is spelled.
type Field interface {
	string | bool | int | json.RawMessage
}

// Take sets a field to a value. It reports false, and leaves the field alone, if the value is of another type.
// An object is copied.
func Take[T Field](field *T, value []byte) bool {
	switch field := any(field).(type) {
	case *string:
		if KindOf(value) != String {
			return false
		}
		*field = Text(value)
	case *bool:
		if KindOf(value) != Bool {
			return false
		}
		*field = Trim(value)[0] == 't'
	case *int:
		n, err := strconv.ParseFloat(string(Trim(value)), 64)
		if KindOf(value) != Number || err != nil || n != math.Trunc(n) || math.Abs(n) > min(1<<53, math.MaxInt) {
			return false
		}
		*field = int(n)
	case *json.RawMessage:
		if KindOf(value) != Object {
			return false
		}
		*field = bytes.Clone(value)
	}
	return true
}

// Set is [Take] for the member of that name. Null counts as absent. The error names the member, and both types.
func Set[T Field](field *T, name string, value []byte) error {
	if got := KindOf(value); got != Null && !Take(field, value) {
		return fmt.Errorf("%s: want %s, got type %s", name, wanted(field), got)
	}
	return nil
}

func wanted(field any) string {
	switch field.(type) {
	case *string:
		return "a string"
	case *bool:
		return "a boolean"
	case *int:
		return "a whole number"
	}
	return "an object"
}

// EachMember calls read with the members of an object, up to the first error. It is an
// error if data is no object.
func EachMember(data []byte, read func(name string, value []byte) error) error {
	if kind := KindOf(data); kind != Object {
		return fmt.Errorf("want an object, got type %s", kind)
	}
	for name, value := range Members(data) {
		if err := read(name, value); err != nil {
			return err
		}
	}
	return nil
}

// Member returns the value of the first member of that name, as it is spelled, and nil if there is none.
func Member(object []byte, name string) []byte {
	for key, value := range RawMembers(object) {
		if Named(key, name) {
			return value
		}
	}
	return nil
}

// Named reports whether a key in quotes, as [RawMembers] gives it, is name.
func Named(key []byte, name string) bool {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key[1:len(key)-1]) == name
	}
	return inner(key) == name
}
