package registry

import (
	"reflect"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Detail says how much of a result is wanted (domain facades, section
// "Detail Levels"). Each level shows all that the one below it shows. Empty is
// [Full].
type Detail string

// The levels.
const (
	Minimal  Detail = "minimal"  // what tells things apart: an id, a title
	Standard Detail = "standard" // key fields, and excerpts of long texts
	Full     Detail = "full"     // everything
)

// Known reports whether d is one of the levels, or empty.
func (d Detail) Known() bool {
	return d == "" || d == Minimal || d == Standard || d == Full
}

// ParseDetail reads a level; empty is [Full]. The error, an *[Error] of kind
// [InvalidArguments], names the levels.
func ParseDetail(text string) (Detail, error) {
	switch d := Detail(text); {
	case d == "":
		return Full, nil
	case d.Known():
		return d, nil
	}
	return "", &Error{
		Kind:    InvalidArguments,
		Message: "Unknown detail level; it is one of minimal, standard and full.",
		Hint:    "Pass one of these, or leave it out.",
		NotRun:  true,
	}
}

// A Detailer is an output that knows itself what it shows below [Full], for
// what tags cannot say (see [Func]). It may be the output of a function or
// stand anywhere inside one. A struct that embeds a Detailer is one by Go's rules,
// and loses its other fields unless it has a method of its own.
type Detailer interface {
	// Detail returns what is written in place of the value at a level, which is
	// [Minimal] or [Standard]: at Full the value itself is. What is returned is
	// trimmed by its own tags. It may be of the same type, and is not asked again
	// then. Nil is the JSON null.
	Detail(level Detail) any
}

// A Counter is an output that knows how many matched before a limit was applied
// ([Result.Count]).
type Counter interface {
	Count() int
}

// countOf returns how many things an output has: by its own count, else the
// length of a list; nil if it is neither.
func countOf(out any) *int {
	if c, ok := out.(Counter); ok {
		return counted(c.Count())
	}
	v := reflect.ValueOf(out)
	if t := v.Type(); t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(counterType) {
		p := reflect.New(t) // whose method wants a pointer
		p.Elem().Set(v)
		return counted(p.Interface().(Counter).Count())
	}
	for v.Kind() == reflect.Pointer && !v.IsNil() && !isMarshaler(v.Type()) {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if !isMarshaler(v.Type()) && !isBytes(v.Type()) {
			return counted(v.Len())
		}
	}
	return nil
}

// countElements returns the length of a JSON array, or nil for other values.
func countElements(data []byte) *int {
	if strictjson.KindOf(data) != strictjson.Array {
		return nil
	}
	n := 0
	for range strictjson.Elements(data) {
		n++
	}
	return &n
}

var counterType = reflect.TypeFor[Counter]()

// counted returns a count, unless it is none.
func counted(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}
