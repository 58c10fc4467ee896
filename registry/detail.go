package registry

import (
	"reflect"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Detail is a level of detail of results (domain facades, section "Detail Levels"). Each level
// shows all fields of the level below it. Empty is [Full].
type Detail string

// The levels.
const (
	Minimal  Detail = "minimal"  // identifying fields: an id, a title
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

// A Detailer is an output that chooses its own form below [Full], where tags cannot express it (see
// [Func]). It may be the output of a function or stand anywhere inside one. A struct that embeds a
// Detailer is one by Go's rules. It loses its other fields unless it has a Detail method of its
// own.
type Detailer interface {
	// Detail returns the value to write at a level, which is [Minimal] or [Standard]. At [Full] the
	// value itself is written. The returned value is trimmed by its own tags. It may have the
	// receiver's type; its Detail method is not called again then. Nil is the JSON null.
	Detail(level Detail) any
}

// A Counter is an output that knows the number of matches before a limit was applied
// ([Result.Count]).
type Counter interface {
	Count() int
}

// countOf returns the count of an output: that of its Count method, else the length of a list. Nil
// if it has neither.
func countOf(out any) *int {
	if c, ok := out.(Counter); ok {
		return counted(c.Count())
	}
	v := reflect.ValueOf(out)
	if t := v.Type(); t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(counterType) {
		p := reflect.New(t) // in case Count has a pointer receiver
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

// counted returns a pointer to a count, or nil for a negative one.
func counted(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}
