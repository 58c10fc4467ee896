package view

import (
	"iter"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// describe returns the type and size of a value, as in "object with 3 keys" or "array of 12 strings".
func describe(raw []byte) string {
	switch kind := strictjson.KindOf(raw); kind {
	case strictjson.Object:
		return objectWith(size(raw))
	case strictjson.Array:
		return "array of " + plural(elementsOf(raw))
	case strictjson.String:
		return "string of " + plural(characters(raw)-2, "character") // as spelled
	default:
		return kind.String()
	}
}

func objectWith(keys int) string { return "object with " + plural(keys, "key") }

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// elementsOf returns the number of elements and a noun for them: the common type, if they have one.
func elementsOf(array []byte) (n int, noun string) {
	noun = "item"
	for i, e := range strictjson.Elements(array) {
		kind := strictjson.KindOf(e).String()
		if i == 0 {
			noun = kind
		}
		if kind != noun {
			noun = "item"
		}
		n++
	}
	if noun == "null" {
		noun = "item"
	}
	return n, noun
}

// maxKeys bounds the keys that are counted separately.
const maxKeys = 500

// fields are the keys of the objects in an array, with their types.
type fields struct {
	list  []*field
	byKey map[string]*field
	total int  // elements
	more  bool // there are keys beyond maxKeys
}

// A field is a key with the types of its values.
type field struct {
	key   []byte // as spelled, in quotes
	kinds [6]bool
	count int // objects that have it; duplicates count again
	total int // elements
}

// fieldsOf reads up to most elements of an array.
func fieldsOf(array []byte, most int) *fields {
	f := &fields{byKey: map[string]*field{}}
	for i, element := range strictjson.Elements(array) {
		if i == most {
			break
		}
		f.total++
		for key, value := range strictjson.RawMembers(element) {
			f.add(key, value)
		}
	}
	for _, one := range f.list {
		one.total = f.total
	}
	return f
}

func (f *fields) add(key, value []byte) {
	one, ok := f.byKey[string(key)]
	if !ok {
		if len(f.list) == maxKeys {
			f.more = true
			return
		}
		one = &field{key: key}
		f.byKey[string(key)] = one
		f.list = append(f.list, one)
	}
	one.count++
	one.kinds[strictjson.KindOf(value)] = true
}

// String names the types of the values, and the number of elements that have the key if not all do.
func (f *field) String() string {
	s := f.types()
	if f.count < f.total {
		s += ", in " + strconv.Itoa(f.count) + " of " + strconv.Itoa(f.total)
	}
	return s
}

func (f *field) types() string {
	var names []string
	for kind := len(f.kinds) - 1; kind >= 0; kind-- { // null comes last
		if f.kinds[kind] {
			names = append(names, strictjson.Kind(kind).String())
		}
	}
	return strings.Join(names, " or ")
}

// sampled is the number of elements that are read for a description.
const sampled = 100

// fieldsText lists the keys of an object with these members, or the keys and types of an array of objects. It begins
// with a colon, and is empty if there are none.
func fieldsText(raw []byte, members iter.Seq2[[]byte, []byte]) string {
	var parts []string
	length := 0
	add := func(key []byte, types string) bool {
		name := clean.Line(string(inner(abridgedString(key, maxShown))), maxShown)
		parts = append(parts, strings.TrimSpace(name+" "+types))
		length += len(name) + len(types) + 3
		return length < maxLine
	}
	for _, f := range fieldsOf(raw, sampled).list {
		if !add(f.key, f.types()) {
			break
		}
	}
	for key := range members {
		if !add(key, "") {
			break
		}
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
