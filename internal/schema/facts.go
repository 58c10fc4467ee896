package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// facts are what a Go type adds to its JSON Schema, so that what passes also
// decodes.
type facts struct {
	number   *goNumber    // of a number
	text     *textCheck   // of a string
	decode   reflect.Type // decodes itself: try it
	finite   bool         // decodes into any, whose numbers are float64
	advanced bool         // the tag word advanced

	node *node // compiled
}

// of notes the node that the facts belong to. There may be none.
func (f *facts) of(n *node) *facts {
	if f != nil {
		f.node = n
	}
	return f
}

// decodes checks what only the value as a whole shows.
func (v *run) decodes(n *node, i, end int) bool {
	switch f := n.facts; {
	case f.decode != nil && !tryDecode(f.decode, v.data[i:end]):
		return v.fail("format", func() string { return "is not a valid " + f.decodeName() })
	case f.finite && !isFinite(v.data[i:end]):
		return v.fail("type", func() string { return "has a number beyond the range of a 64-bit float" })
	}
	return true
}

// decodeName names the type that decodes itself.
func (f *facts) decodeName() string {
	t := f.decode
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[") // without type arguments
	return firstText(name, "value")
}

// isFinite reports whether all numbers in a value fit a float64.
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

// tryDecode decodes into a new value of a type that does so itself. Its method
// is a programmer's and may do anything; a panic counts as a refusal.
func tryDecode(t reflect.Type, raw []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return json.Unmarshal(raw, reflect.New(t).Interface()) == nil
}

// quotedNumber is what the json option string makes of a number: the literal,
// as a string.
func quotedNumber(g *goNumber) *textCheck {
	return &textCheck{"format", "must be a number written as a string, such as \"12\", in the range of its type", func(text string) bool {
		raw := []byte(text)
		return strictjson.Check(raw) == nil && kindAt(raw[0]) == strictjson.Number &&
			len(strictjson.Trim(raw)) == len(raw) && g.holds(raw)
	}}
}
