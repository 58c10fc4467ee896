package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// facts are the constraints of a Go type beyond its JSON Schema. They make sure that an accepted value also decodes.
type facts struct {
	number   *goNumber    // of a number
	text     *textCheck   // of a string
	decode   reflect.Type // a type that decodes itself: decode as a check
	finite   bool         // decodes into any, so numbers must fit float64
	advanced bool         // the tag word advanced

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
		return v.fail("format", func() string { return "is not a valid " + f.decodeName() })
	case f.finite && !isFinite(v.data[i:end]):
		return v.fail("type", func() string { return "has a number beyond the range of a 64-bit float" })
	}
	return true
}

// decodeName returns the name of the type that decodes itself.
func (f *facts) decodeName() string {
	t := f.decode
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[") // without type arguments
	return firstText(name, "value")
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

// tryDecode decodes into a new value of a type with a decoding method. A panic of the method counts as a rejection.
func tryDecode(t reflect.Type, raw []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return json.Unmarshal(raw, reflect.New(t).Interface()) == nil
}

// quotedNumber returns the check for a number with the json option string: the literal in a string.
func quotedNumber(g *goNumber) *textCheck {
	return &textCheck{"format", "must be a number written as a string, such as \"12\", in the range of its type", func(text string) bool {
		raw := []byte(text)
		return strictjson.Check(raw) == nil && kindAt(raw[0]) == strictjson.Number &&
			len(strictjson.Trim(raw)) == len(raw) && g.holds(raw)
	}}
}
