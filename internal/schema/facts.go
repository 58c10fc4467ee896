package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// facts are the constraints of a Go type beyond its JSON Schema. They make sure that an accepted value also decodes.
type facts struct {
	number *goNumber    // of a number
	text   *textCheck   // of a string
	decode reflect.Type // a type that decodes itself: decode as a check
	names  string       // some values of decode
	finite bool         // decodes into any, so numbers must fit float64
	key    bool         // of the keys of a map
	keys   reflect.Type // of a map whose keys decode: two must not be one value

	convert func(raw []byte) []byte  // to the form that encoding/json decodes; nil if that is the form accepted
	wrap    string                   // the member for the value, beside Valid
	spell   func(text string) string // spells a bound as text

	advanced bool // the tag word advanced

	node *node // the compiled node
}

// of records the node of the facts. f may be nil.
func (f *facts) of(n *node) *facts {
	if f != nil {
		f.node = n
	}
	return f
}

// decodes checks constraints on the value as a whole.
func (v *run) decodes(n *node, i, end int) bool {
	switch f := n.facts; {
	case f.decode != nil && !tryDecode(f.decode, v.data[i:end]):
		return v.fail("format", f.invalid)
	case f.keys != nil && !distinctKeys(f.keys, v.data[i:end]):
		return v.fail("propertyNames", func() string { return "has two keys that are the same " + nameOfType(f.keys) })
	case f.finite && !isFinite(v.data[i:end]):
		return v.fail("type", func() string { return "has a number beyond the range of a 64-bit float" })
	}
	return true
}

// invalid explains why a value does not decode.
func (f *facts) invalid() string {
	message := "is not a valid " + nameOfType(f.decode)
	if f.key {
		message = "the key " + message
	}
	if f.names != "" {
		message += ", such as " + f.names
	}
	return message
}

// nameOfType returns the name of a type that decodes itself, for a model.
func nameOfType(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[") // without type arguments
	return firstText(name, "value")
}

// distinctKeys reports whether the keys of an object decode into different values.
func distinctKeys(t reflect.Type, raw []byte) bool {
	seen := reflect.MakeMap(reflect.MapOf(t, reflect.TypeFor[bool]()))
	for key := range strictjson.RawMembers(raw) {
		v := reflect.New(t)
		if json.Unmarshal(key, v.Interface()) != nil || seen.MapIndex(v.Elem()).IsValid() {
			return false
		}
		seen.SetMapIndex(v.Elem(), reflect.ValueOf(true))
	}
	return true
}

// isFinite reports whether all numbers in a value fit float64.
func isFinite(value []byte) bool {
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c != '"' && c != '-' && (c < '0' || c > '9') {
			continue
		}
		end := strictjson.Skip(value, i)
		if number := value[i:end]; c != '"' && (len(number) > 300 || bytes.ContainsAny(number, "eE")) {
			if _, err := strconv.ParseFloat(string(number), 64); err != nil {
				return false
			}
		}
		i = end - 1
	}
	return true
}

// tryDecode reports whether a value decodes into a type with a decoding method.
func tryDecode(t reflect.Type, raw []byte) bool { return decodeError(t, raw) == nil }

// decodeError decodes into a new value of a type with a decoding method. A panic of the method counts as a rejection.
func decodeError(t reflect.Type, raw []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return json.Unmarshal(raw, reflect.New(t).Interface())
}

// sample returns a value that the facts accept, for an example: what their texts name after "such as". It is empty if they
// name none.
func (f *facts) sample() string {
	text := ""
	switch {
	case f == nil:
	case f.text != nil:
		text = f.text.message
	case f.names != "":
		text = "such as " + f.names
	default:
		text = textHints[f.decode]
	}
	_, named, _ := strings.Cut(text, "such as ")
	named, _, _ = strings.Cut(named, " ")
	return strings.Trim(named, `,."`)
}

// quotedNumber returns the check for a number with the json option string: the literal in a string.
func quotedNumber(g *goNumber) *textCheck {
	return &textCheck{"format", "must be a number written as a string, such as \"12\", in the range of its type", func(text string) bool {
		raw := []byte(text)
		return strictjson.Check(raw) == nil && kindAt(raw[0]) == strictjson.Number &&
			len(strictjson.Trim(raw)) == len(raw) && g.holds(raw)
	}}
}
